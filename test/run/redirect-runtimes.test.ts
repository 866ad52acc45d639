import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { has } from '../support/machine.ts';
import { REAL_ADDRESS, startRealHost } from '../support/real-host.ts';
import { runHere } from './node-command.ts';

const REDIRECT = ['--redirect', REAL_ADDRESS];

/** Each client asks for the balance. The script prints what they got, by their names. */
const SCRIPT = `
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';

const [port, ...names] = process.argv.slice(2);
const host = '${REAL_ADDRESS}';
const path = '/momo/balance?apikey=momo_test_key';
const url = 'https://' + host + ':' + port + path;
const asked = (client, target) =>
  new Promise((resolve, reject) => client.get(target, (one) => resolve(text(one))).on('error', reject));
const sent = (socket) => {
  socket.write('GET ' + path + ' HTTP/1.0\\r\\nhost: localhost\\r\\n\\r\\n');
  return text(socket);
};
const clients = {
  fetch: async () => (await fetch(url)).text(),
  'node:https': () => asked(https, url),
  'node:tls': () => sent(tls.connect({ host, port })),
  'node:http': () => asked(http, url.replace('https', 'http')),
  'node:net': () => sent(net.connect(port, host)),
  'TLSSocket over node:net': () => sent(new tls.TLSSocket(net.connect({ host, port }))),
};
const outcomes = names.map(async (name) => {
  const got = await clients[name]().catch((error) => String(error.cause ?? error));
  return [name, ['XOF', 'HTTPS only'].find((known) => got.includes(known)) ?? got];
});
console.log(JSON.stringify(Object.fromEntries(await Promise.all(outcomes))));
process.exit();
`;

const NODE = {
  'node:https': 'XOF',
  'node:tls': 'XOF',
  'node:http': 'HTTPS only',
  'node:net': 'HTTPS only',
};
const TUNNEL = { 'TLSSocket over node:net': 'XOF' };

/** Skips a test where a program that Debian has no package of is not on this machine. */
function needsRuntime({ skip }: TestContext, program: string): void {
  if (program === process.execPath) return;
  skip(!has(program), `this machine has no ${program}: npm install --global ${program}`);
}

describe('run --redirect sends to the mock what reaches the real host without it:', () => {
  it.for<[string, string[], Record<string, string>, Record<string, string>]>([
    ['Node', [process.execPath], { fetch: 'XOF', ...NODE, ...TUNNEL }, {}],
    ['Deno', ['deno', 'run', '--allow-all'], { fetch: 'XOF', ...NODE }, {}],
    ['Deno without permission to read', ['deno', 'run', '--allow-net'], { fetch: 'XOF' }, {}],
    ['Bun', ['bun'], { fetch: 'XOF', ...NODE, ...TUNNEL }, {}],
    ['Bun with options', ['bun'], { fetch: 'XOF', ...NODE }, { BUN_OPTIONS: '--smol' }],
  ])('%s', async ([, runtime, expected, env], context) => {
    const [program = ''] = runtime;
    needsRuntime(context, program);
    const real = await startRealHost(context);
    const file = join(temporaryFolder(), 'main.mjs');
    writeFileSync(file, SCRIPT);
    const words = ['--', ...runtime, file, real.port, ...Object.keys(expected)];
    // Deno asks nobody on the network whether there is a newer one.
    const options = { env: { DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1', ...env } };
    const { stdout, stderr } = await runCommand(['run', ...REDIRECT, ...words], options);
    expect(JSON.parse(stdout)).toEqual(expected);
    const served = Object.values(expected).filter((word) => word === 'XOF').length;
    expect(stderr).toMatch(new RegExp(`: ${served} requests?: ${served} × 200`));
    expect(real.connections()).toBe(0);
    await runCommand(['run', ...words], options);
    expect(real.connections()).toBeGreaterThanOrEqual(Object.keys(expected).length);
  });
});

describe('run --redirect redirects a worker of Node', () => {
  it.for<[string, string]>([
    ['with an environment of its own', "{ env: { OWN: 'own' } }"],
    ['with other NODE_OPTIONS', "{ env: { OWN: 'own', NODE_OPTIONS: '--no-warnings' } }"],
    ['with Node options of its own', '{ env: { ...env, OWN: "own" }, execArgv: [] }'],
    ['with the environment of the process', '{ env: SHARE_ENV }'],
  ])('%s', async ([, options], context) => {
    const real = await startRealHost(context);
    const code = `const { parentPort, Worker } = require('node:worker_threads');
      const url = 'https://${REAL_ADDRESS}:${real.port}/momo/balance?apikey=momo_test_key';
      fetch(url).then(({ status }) => status, ({ cause }) => cause.code).then((got) =>
        parentPort.postMessage([got, process.env.OWN]));`;
    const script = `const { SHARE_ENV, Worker } = await import('node:worker_threads');
      env.OWN = 'own';
      const worker = new Worker(${JSON.stringify(code)}, { eval: true, ...${options} });
      say((await require('node:events').once(worker, 'message'))[0]);`;
    expect((await runHere(script, REDIRECT)).said).toEqual([200, 'own']);
    expect(real.connections()).toBe(0);
    const [without] = (await runHere(script)).said as unknown[];
    expect(without).not.toBe(200);
    expect(real.connections()).toBe(1);
  });
});
