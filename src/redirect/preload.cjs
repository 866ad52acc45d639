// `momo-mock run --redirect` preloads this into the Node processes of its command, of any version.
'use strict';

const text = process.env.MOMO_MOCK_REDIRECT;
if (text) redirect(JSON.parse(text));

/** Redirects the hosts, and removes the proxy variables, which this process does not need. */
function redirect({ hosts, target, ca, inNode, forOthers }) {
  const { readFileSync } = require('node:fs');
  const { addRoute, routeOf } = require('./tls-redirect.cjs');
  const blocks = () => [readFileSync(ca, 'latin1')];
  for (const key of hosts) {
    // An outer run has already preloaded it.
    if (routeOf(key) === undefined) addRoute({ ...target, key, ca: blocks, owner: 'run' });
  }
  replaceVariables(process.env, forOthers, inNode);
  passOnVariables((env) => replaceVariables(env, inNode, forOthers));
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

/** Passes the proxy variables on to child processes, which may not be Node. */
function passOnVariables(restore) {
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
  require('node:module').syncBuiltinESMExports();

  function restored(env) {
    return env.MOMO_MOCK_REDIRECT === text ? restore(env) : env;
  }
}
