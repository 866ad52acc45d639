FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY build build
COPY src src
COPY fixtures fixtures
COPY presets presets
# One run, since it leaves its compiled code in dist/, where nobody can write in the image. With
# handlers, schemas and a call of the control API, so that their code is compiled too. On free ports:
# a build may share the network of the host, where a mock may run.
RUN npm run build \
    && mkdir -p /tmp/fixtures/momo && echo '{}' > /tmp/fixtures/momo/balance.get.schema.json \
    && { node dist/cli.cjs --port 0 --control-port 0 --certs-dir /tmp/certs --preset chipdeals --fixtures-dir /tmp/fixtures > /tmp/log & \
    until grep -q http: /tmp/log && node -e 'fetch(/http:[^"]+/.exec(fs.readFileSync("/tmp/log", "utf8"))[0])' && ls dist/compiled/control-*.bin; \
    do kill -0 $! || exit 1; sleep 0.2; done; \
    kill $!; wait $!; } \
    && find dist -name '*.d.ts' -delete

FROM node:24-slim
LABEL org.opencontainers.image.title="momo-mock" \
      org.opencontainers.image.description="A mock server for a mobile money HTTP API" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production

# Nothing of the program is in the working folder: that is the user's, for fixtures/ and certs/.
WORKDIR /opt/momo-mock
COPY package.json LICENSE ./
COPY --from=build /build/dist dist
COPY fixtures fixtures
COPY presets presets
# For `docker exec CONTAINER momo-mock health`, probes, and jobs that run in the image.
RUN chmod +x dist/cli.cjs && ln -s /opt/momo-mock/dist/cli.cjs /usr/local/bin/momo-mock

# Owned by the user, so that a volume that is made for it is too.
WORKDIR /momo/certs
RUN chown node:node .
VOLUME /momo/certs
WORKDIR /momo

# By number: Kubernetes cannot tell from a name that it is not root.
USER 1000:1000

# In a container only the container's own network is reached by these.
ENV MOMO_MOCK_HOST=:: \
    MOMO_MOCK_CONTROL_HOST=:: \
    MOMO_MOCK_CERTS_DIR=/momo/certs \
    MOMO_MOCK_TLS_HOSTS=momo-mock
EXPOSE 8443 8480
HEALTHCHECK --interval=10s --timeout=15s --start-period=30s --start-interval=1s --retries=3 \
  CMD ["momo-mock", "health"]
# Half of the container's memory is for the heap: V8 alone would take 256 MiB in a smaller container, too,
# and the kernel would kill it. The other half is for buffers, connections and Node itself.
ENTRYPOINT ["node", "--max-old-space-size-percentage=50", "/usr/local/bin/momo-mock"]
