// Replaces `tls.connect`, which Node's HTTPS clients use to connect, and how other sockets connect,
// so that plain HTTP does not reach the real host either. This is CommonJS because `momo-mock run`
// also preloads it into the Node processes of its command, in any version.
'use strict';

const { Agent } = require('node:http');
const { syncBuiltinESMExports } = require('node:module');
const { isIP, Socket } = require('node:net');
const tls = require('node:tls');

/** A property of node:tls, because jest loads this module again for each test file. */
const REGISTRY = Symbol.for('momo-mock.redirects');

/** In the options of connections that already lead where they should, such as momo-mock's own. */
const DIRECT = Symbol.for('momo-mock.direct');

/** As `redirect.ts` describes it. The newest one for a key is used. */
function redirectHost(host) {
  const registry = tls[REGISTRY] || { hosts: [], connect: undefined, original: undefined };
  tls[REGISTRY] = registry;
  if (registry.hosts.length === 0) {
    registry.undo = [...guard(registry), redirectPlain(registry)];
  }
  if (tls.connect !== registry.connect) install(registry);
  const open = { ...host, sockets: new Set(), end: () => remove(registry, open) };
  registry.hosts.push(open);
  return open.end;
}

function redirectedHost(key) {
  return tls[REGISTRY]?.hosts.filter((redirected) => redirected.key === key).pop();
}

function install(registry) {
  const original = tls.connect;
  registry.original = original;
  registry.connect = function connect(...args) {
    const { options, listener } = readArguments(args);
    const redirected = redirectedBy(registry, options);
    if (redirected === undefined || options[DIRECT]) return original.apply(this, args);
    return connectTo(redirected, original, options, listener);
  };
  replaceConnect(registry.connect);
}

function remove(registry, redirected) {
  const at = registry.hosts.indexOf(redirected);
  if (at === -1) return;
  registry.hosts.splice(at, 1);
  for (const socket of redirected.sockets) socket.destroy();
  if (registry.hosts.length === 0) for (const undo of registry.undo) undo();
  // Another tool may have wrapped the replacement, which then only passes calls on.
  if (registry.hosts.length > 0 || tls.connect !== registry.connect) return;
  delete tls[REGISTRY];
  replaceConnect(registry.original);
}

function replaceConnect(connect) {
  tls.connect = connect;
  // For `import { connect } from 'node:tls'`.
  syncBuiltinESMExports();
}

/**
 * Ends the other connections to redirected hosts: those that were opened before, which agents and
 * pools keep, and those of clients that saved `tls.connect`. Nothing can list them, so they end when
 * a client takes them up: an agent in `addRequest`, a pool of undici with `ref`, both of which then
 * connect again. Whatever else sends gets an error.
 */
function guard(registry) {
  const endIfStray = (socket) => {
    if (strayHost(registry, socket) !== undefined) socket.destroy();
  };
  const refuseIfStray = (socket, args) => {
    const host = strayHost(registry, socket);
    if (host === undefined) return false;
    const text = `Failed to use a connection to ${host}: it leads to the real host, which momo-mock redirects. Call redirect() before the client is loaded.`;
    args.pop()(new Error(text));
    return true;
  };
  return [
    intercept(Agent.prototype, 'addRequest', ({ sockets, freeSockets }) => {
      const lists = [sockets, freeSockets].flatMap((byName) => Object.values(byName));
      for (const socket of lists.flat()) endIfStray(socket);
    }),
    intercept(tls.TLSSocket.prototype, 'ref', endIfStray),
    intercept(tls.TLSSocket.prototype, '_write', refuseIfStray),
    intercept(tls.TLSSocket.prototype, '_writev', refuseIfStray),
  ];
}

/**
 * Calls a function before a method, which is not called if the function returns true.
 *
 * @returns {() => void} undoes it, unless another tool has replaced the method since
 */
function intercept(object, name, before) {
  const own = Object.getOwnPropertyDescriptor(object, name);
  const original = object[name];
  const replacement = function (...args) {
    return before(this, args) ? undefined : original.apply(this, args);
  };
  object[name] = replacement;
  return () => {
    if (object[name] !== replacement) return;
    if (own) Object.defineProperty(object, name, own);
    else delete object[name];
  };
}

/**
 * Sends other sockets to the mock: those of plain HTTP, to which it responds that it speaks HTTPS
 * only, and those on which a client opens TLS by itself.
 */
function redirectPlain(registry) {
  return intercept(Socket.prototype, 'connect', (socket, args) => {
    // Node's own callers pass a list of options and listener, which has a mark.
    const isList = Array.isArray(args[0]);
    const { options, listener } = isList ? { options: args[0][0] } : readArguments(args);
    if (socket instanceof tls.TLSSocket || options.path || options[DIRECT]) return;
    const redirected = redirectedBy(registry, { host: options.host, port: options.port });
    if (redirected === undefined) return;
    const { lookup, family, localAddress, ...rest } = options;
    const toMock = { ...rest, host: redirected.host, port: redirected.port };
    if (isList) args[0][0] = toMock;
    else args.splice(0, args.length, toMock, listener);
  });
}

/** The redirected host that a connection reaches although it is not redirected. */
function strayHost({ hosts }, socket) {
  const isOptions = ({ description }) => description === 'connect-options';
  const options = socket[Object.getOwnPropertySymbols(socket).find(isOptions)];
  if (options === undefined || options[DIRECT]) return undefined;
  const names = [options.host, options.servername].map(plainName);
  return hosts.find(({ key }) => names.includes(key))?.key;
}

/** `tls.connect` takes `(options)`, `(port)` or `(port, host)`, each with more options. */
function readArguments(args) {
  const [first, second, third] = args;
  const isOptions = (value) => typeof value === 'object' && value !== null;
  const host = typeof second === 'string' && { host: second };
  const place = isOptions(first) ? first : { port: first, ...host };
  const last = args[args.length - 1];
  return {
    options: { ...place, ...[second, third].find(isOptions) },
    listener: typeof last === 'function' ? last : undefined,
  };
}

function redirectedBy({ hosts }, options) {
  const keys = keysOf(options);
  return hosts.filter(({ key }) => keys.includes(key)).pop();
}

function keysOf({ host, port, servername }) {
  // A proxy agent passes a tunnel without a host, and a client that resolves names an address.
  const [name, verified] = [host, servername].map(plainName);
  return [name, `${name}:${port}`, verified].filter((key) => key !== '');
}

function plainName(name) {
  return String(name || '')
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

function connectTo(redirected, connect, given, listener) {
  // Without options that lead to the other host, and without a session, which would skip
  // verification.
  const { lookup, family, localAddress, path, socket: tunnel, session, ...options } = given;
  const socket = connect.call(
    tls,
    {
      ...options,
      host: redirected.host,
      port: redirected.port,
      // For an address, Node verifies the host.
      servername: isIP(redirected.servername) ? '' : redirected.servername,
      ca: [].concat(options.ca || [], redirected.ca()),
      // The mock's own certificate is trusted, although its issuer may be unknown.
      allowPartialTrustChain: true,
      [DIRECT]: true,
    },
    listener,
  );
  redirected.sockets.add(socket);
  socket.once('close', () => {
    redirected.sockets.delete(socket);
    tunnel?.destroy();
  });
  return socket;
}

module.exports = { redirectHost, redirectedHost };
