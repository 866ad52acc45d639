import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../children.mjs';

const PASSWORD = 'password';

export const wiremock = {
  name: 'wiremock',
  version: '3.13.2',
  how: 'by its npm package, on Java',
  prepare: async ({ cwd, cert, key }) => {
    await runChild('java', ['-version'], { cwd });
    const keystore = join(cwd, 'keystore.p12');
    const pair = ['-inkey', key, '-in', cert, '-out', keystore, '-passout', `pass:${PASSWORD}`];
    await runChild('openssl', ['pkcs12', '-export', ...pair], { cwd });
    return { keystore };
  },
  command: ({ port, folder, cwd, cert, keystore, body }) => {
    mkdirSync(join(cwd, 'mappings'));
    const mapping = {
      request: {
        method: 'GET',
        urlPath: '/momo/balance',
        queryParameters: { apikey: { equalTo: 'momo_test_key' } },
      },
      response: {
        status: 200,
        headers: { 'Content-Type': 'application/json; charset=utf-8' },
        body,
      },
    };
    writeFileSync(join(cwd, 'mappings/balance.json'), JSON.stringify(mapping));
    const store = ['--https-keystore', keystore, '--keystore-type', 'PKCS12'];
    const words = ['--keystore-password', PASSWORD, '--key-manager-password', PASSWORD];
    const where = ['--https-port', port, '--disable-http', '--bind-address', '127.0.0.1'];
    const bin = join(folder, 'node_modules/wiremock/index.js');
    const args = [bin, ...where, '--root-dir', cwd, ...store, ...words];
    return { command: process.execPath, args, ca: cert };
  },
};
