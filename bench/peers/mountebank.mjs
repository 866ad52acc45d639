import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../server.mjs';

export const mountebank = {
  name: 'mountebank',
  version: '2.9.1',
  how: 'told to keep connections alive, which it does not of itself',
  command: async ({ port, folder, cwd, cert, key, body }) => {
    const request = { method: 'GET', path: '/momo/balance', query: { apikey: 'momo_test_key' } };
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'keep-alive',
    };
    const imposter = {
      port: Number(port),
      protocol: 'https',
      host: '127.0.0.1',
      cert: readFileSync(cert, 'utf8'),
      key: readFileSync(key, 'utf8'),
      stubs: [
        {
          predicates: [{ equals: request }],
          responses: [{ is: { statusCode: 200, headers, body } }],
        },
      ],
      defaultResponse: { statusCode: 404 },
    };
    const file = join(cwd, 'imposters.json');
    writeFileSync(file, JSON.stringify({ imposters: [imposter] }));
    const bin = join(folder, 'node_modules/mountebank/bin/mb');
    const where = ['--port', await freePort(), '--host', '127.0.0.1', '--localOnly'];
    const args = [bin, 'start', '--configfile', file, '--noParse', ...where];
    return { command: process.execPath, args, ca: cert };
  },
};
