// The servers beside momo-mock that are no command: `servers.cjs NAME PORT CERT KEY BODY [MODULES]`.
// Each loads only what it needs, since its start is measured.
const { readFileSync } = require('node:fs');

const [name, port, certPath, keyPath, bodyFile, modules] = process.argv.slice(2);
const body = readFileSync(bodyFile, 'utf8');
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
  'content-length': `${Buffer.byteLength(body)}`,
};

/** Without `noDelay` each new connection would wait for a delayed ACK. */
const tls = () => ({
  cert: readFileSync(certPath),
  key: readFileSync(keyPath),
  noDelay: true,
});

const SERVERS = {
  bare() {
    const { createServer } = require('node:https');
    createServer(tls(), (request, response) => {
      const [path, query] = request.url.split('?');
      if (request.method !== 'GET' || path !== '/momo/balance') {
        response.writeHead(404).end();
      } else if (new URLSearchParams(query).get('apikey') !== 'momo_test_key') {
        response.writeHead(401).end();
      } else {
        response.writeHead(200, headers).end(body);
      }
    }).listen(Number(port), 'localhost');
  },

  fastify() {
    const app = require('fastify')({ https: tls() });
    app.get('/momo/balance', (request, reply) => {
      if (request.query.apikey !== 'momo_test_key') return reply.code(401).send();
      return reply.headers(headers).send(body);
    });
    app.listen({ port: Number(port), host: 'localhost' });
  },

  /** As its documentation shows. It makes its certificate of a CA. */
  async mockttp() {
    const mockttp = require(`${modules}/mockttp`);
    const server = mockttp.getLocal({ https: { certPath, keyPath } });
    await server.start(Number(port));
    const balance = server.forGet('/momo/balance').withQuery({ apikey: 'momo_test_key' });
    await balance.thenReply(200, body, headers);
  },
};

SERVERS[name]();
