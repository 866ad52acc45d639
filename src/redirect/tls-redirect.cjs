// Replaces `tls.connect`, which Node's HTTPS clients use to connect. This is CommonJS because
// `momo-mock run` also preloads it into the Node processes of its command, in any version.
'use strict';

const { syncBuiltinESMExports } = require('node:module');
const { isIP } = require('node:net');
const tls = require('node:tls');

/** A property of node:tls, because jest loads this module again for each test file. */
const REGISTRY = Symbol.for('momo-mock.redirects');

/** In the options of momo-mock's own connections, which are never redirected. */
const DIRECT = Symbol.for('momo-mock.direct');

/**
 * Where the connections for a key go.
 *
 * @typedef {object} Route
 * @property {string} key a host name, for all of its ports, or `host:port`
 * @property {string} host
 * @property {number} port
 * @property {string} servername the name to verify
 * @property {() => readonly string[]} ca PEM to trust in addition
 * @property {unknown} owner who added it
 */

/** @typedef {Route & { end: () => void }} OpenRoute */

/**
 * Adds a route. The newest route for a key is used.
 *
 * @param {Route} route
 * @returns {() => void} removes it and closes its connections
 */
function addRoute(route) {
  const registry = tls[REGISTRY] || { routes: [], connect: undefined, original: undefined };
  tls[REGISTRY] = registry;
  if (tls.connect !== registry.connect) install(registry);
  const open = { ...route, sockets: new Set(), end: () => remove(registry, open) };
  registry.routes.push(open);
  return open.end;
}

/**
 * The current route for a key.
 *
 * @param {string} key
 * @returns {OpenRoute | undefined}
 */
function routeOf(key) {
  return newest(tls[REGISTRY]?.routes ?? [], (route) => route.key === key);
}

function newest(routes, matches) {
  return routes.filter(matches).pop();
}

function install(registry) {
  const original = tls.connect;
  registry.original = original;
  registry.connect = function connect(...args) {
    const { options, listener } = readArguments(args);
    const keys = keysOf(options);
    const route = newest(registry.routes, ({ key }) => keys.includes(key));
    if (route === undefined || options[DIRECT]) return original.apply(this, args);
    return connectTo(route, original, options, listener);
  };
  replaceConnect(registry.connect);
}

function remove(registry, route) {
  const at = registry.routes.indexOf(route);
  if (at === -1) return;
  registry.routes.splice(at, 1);
  for (const socket of route.sockets) socket.destroy();
  // Another tool may have wrapped the replacement, which then only passes calls on.
  if (registry.routes.length > 0 || tls.connect !== registry.connect) return;
  delete tls[REGISTRY];
  replaceConnect(registry.original);
}

function replaceConnect(connect) {
  tls.connect = connect;
  // For `import { connect } from 'node:tls'`.
  syncBuiltinESMExports();
}

/** `tls.connect` takes `(options)`, `(port)` or `(port, host)`, each with more options. */
function readArguments(args) {
  const [first, second] = args;
  const place =
    typeof first === 'object' && first !== null
      ? first
      : { port: first, ...(typeof second === 'string' && { host: second }) };
  const isOptions = (value) => typeof value === 'object' && value !== null;
  const moreOptions = [args[1], args[2]].find(isOptions);
  const last = args[args.length - 1];
  return {
    options: { ...place, ...moreOptions },
    listener: typeof last === 'function' ? last : undefined,
  };
}

function keysOf({ host, port, socket, servername }) {
  // A proxy agent passes the tunnel, but no host.
  const name = String(host ?? (socket ? servername : '') ?? '')
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  return name === '' ? [] : [name, `${name}:${port}`];
}

function connectTo(route, connect, given, listener) {
  // Without options that lead to the other host, and without a session, which would skip
  // verification.
  const { lookup, family, localAddress, path, socket: tunnel, session, ...options } = given;
  const socket = connect.call(
    tls,
    {
      ...options,
      host: route.host,
      port: route.port,
      // For an address, Node verifies the host.
      servername: isIP(route.servername) ? '' : route.servername,
      ca: [].concat(options.ca || [], route.ca()),
      // The mock's own certificate is trusted, although its issuer may be unknown.
      allowPartialTrustChain: true,
    },
    listener,
  );
  route.sockets.add(socket);
  socket.once('close', () => {
    route.sockets.delete(socket);
    tunnel?.destroy();
  });
  return socket;
}

module.exports = { addRoute, routeOf };
