// `momo-mock run --redirect` preloads this into the Node processes of its command, of any version,
// and into those of Deno and Bun.
'use strict';

const text = lacksPermission() ? undefined : process.env.MOMO_MOCK_REDIRECT;
if (text) redirect(JSON.parse(text));

/** Deno would ask the user for what this module reads, although its fetch only needs the proxy. */
function lacksPermission() {
  const { permissions } = globalThis.Deno ?? {};
  const isMissing = (descriptor) => permissions.querySync(descriptor).state !== 'granted';
  const needed = [{ name: 'env', variable: 'MOMO_MOCK_REDIRECT' }, { name: 'read' }];
  return permissions !== undefined && needed.some(isMissing);
}

/** Redirects the hosts, and removes the proxy variables, which this process does not need. */
function redirect({ redirects, inNode, forOthers }) {
  const { readFileSync } = require('node:fs');
  const { redirectHost, redirectedHost } = require('./tls-redirect.cjs');
  for (const { hosts, target, ca } of redirects) {
    for (const key of hosts) {
      // The innermost run comes first.
      if (redirectedHost(key) !== undefined) continue;
      redirectHost({ ...target, key, ca: () => [readFileSync(ca, 'latin1')], owner: 'run' });
    }
  }
  // These keep the proxy, which their fetch uses.
  if (process.versions.deno || process.versions.bun) return;
  passOnVariables(forOthers, inNode);
  replaceVariables(process.env, forOthers, inNode);
  replaceProxyOfNode();
  require('node:module').syncBuiltinESMExports();
}

/** Node has already read the proxy variables of other programs. */
function replaceProxyOfNode() {
  const https = require('node:https');
  const { proxyEnv, ...options } = https.globalAgent.options;
  if (proxyEnv === undefined) return;
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = '' } = process.env;
  const isWanted =
    NODE_USE_ENV_PROXY === '1' || /--use-env-proxy/.test([NODE_OPTIONS, ...process.execArgv]);
  https.globalAgent = new https.Agent({ ...options, ...(isWanted && { proxyEnv: process.env }) });
}

/**
 * Changes variables that still have their value in `from` to their value in `to`; null means unset.
 */
function replaceVariables(env, from, to) {
  for (const [name, value] of Object.entries(to)) {
    if ((env[name] ?? null) !== from[name]) continue;
    if (value === null) delete env[name];
    else env[name] = value;
  }
  return env;
}

/**
 * Passes the variables on to child processes, which may not be Node, or have another environment, and
 * to workers that have one.
 */
function passOnVariables(forOthers, inNode) {
  const preload = `--require ${JSON.stringify(__filename)}`;
  const passed = [
    ...Object.keys(forOthers),
    ...['MOMO_MOCK_REDIRECT', 'PHP_INI_SCAN_DIR', 'JAVA_TOOL_OPTIONS'],
    ...['RUBYOPT', 'RUBYLIB', 'PYTHONPATH'],
    ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  ];
  const given = Object.fromEntries(
    passed.filter((name) => name in process.env).map((name) => [name, process.env[name]]),
  );
  const childProcess = require('node:child_process');
  const { prototype } = childProcess.ChildProcess;
  const { spawn } = prototype;
  prototype.spawn = function (options) {
    const pairs = options?.envPairs;
    if (Array.isArray(pairs)) {
      const entries = pairs.map((pair) => [pair, pair.indexOf('=', 1)]);
      const env = entries.map(([pair, at]) => [pair.slice(0, at), pair.slice(at + 1)]);
      options.envPairs = Object.entries(restored(Object.fromEntries(env))).map((pair) =>
        pair.join('='),
      );
    }
    return spawn.call(this, options);
  };
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    const original = childProcess[name];
    childProcess[name] = (...args) => {
      const isOptions = (value, at) =>
        at > 0 && value && typeof value === 'object' && !Array.isArray(value);
      const options = args.find(isOptions) || {};
      const others = args.filter((value) => value !== options && value !== undefined);
      return original(...others, {
        ...options,
        env: restored({ ...(options.env || process.env) }),
      });
    };
  }

  const threads = require('node:worker_threads');
  threads.Worker = class Worker extends threads.Worker {
    constructor(file, options) {
      const { env } = options ?? {};
      const isOwn = typeof env === 'object' && env !== null;
      super(file, isOwn ? { ...options, env: restored({ ...env }) } : options);
    }
  };

  function restored(env) {
    const { MOMO_MOCK_REDIRECT = text, NODE_OPTIONS = '' } = env;
    // Another run has already set its own.
    if (MOMO_MOCK_REDIRECT !== text) return env;
    const options = NODE_OPTIONS.includes(preload) ? NODE_OPTIONS : `${NODE_OPTIONS} ${preload}`;
    return {
      ...given,
      ...replaceVariables(env, inNode, forOthers),
      NODE_OPTIONS: options.trim(),
    };
  }
}
