// The mock servers that momo-mock is measured beside, from npm. Each answers the same body, set up as
// its documentation shows. A row says, of one start in an empty folder: the files in it, the commands
// that prepare it, and the arguments of the server, which is Node unless `command` says otherwise.
import { readFileSync } from 'node:fs';

const [PATH, KEY] = ['/momo/balance', 'momo_test_key'];
const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

/** By package: `(what all sides share, and the ports that are free) => a start`. */
export const PEERS = {
  '@mockoon/cli@9.9.0': ({ modules, cert, key, body, port }) => {
    const rules = [{ target: 'query', modifier: 'apikey', value: KEY, operator: 'equals' }];
    const headers = [{ key: 'Content-Type', value: JSON_TYPE['Content-Type'] }];
    const responses = [
      { default: true, statusCode: 401, body: '{}' },
      { statusCode: 200, headers, body, rules, disableTemplating: true },
    ];
    const data = {
      port,
      hostname: '127.0.0.1',
      routes: [{ uuid: 'balance', method: 'get', endpoint: PATH.slice(1), responses }],
      rootChildren: [{ type: 'route', uuid: 'balance' }],
      tlsOptions: { enabled: true, type: 'CERT', certPath: cert, keyPath: key },
    };
    const bin = `${modules}/@mockoon/cli/bin/run.js`;
    return {
      files: { 'data.json': data },
      args: [bin, 'start', '--repair', '--data', 'data.json'],
    };
  },

  // It makes its certificate with a CA.
  'mockttp@4.6.5': ({ modules, servers, bodyFile, port, cwd }) => {
    const ca = `require('${modules}/mockttp').generateCACertificate().then(({ cert, key }) => {
      fs.writeFileSync('ca.pem', cert); fs.writeFileSync('ca-key.pem', key); })`;
    return {
      prepare: [[process.execPath, '-e', ca]],
      args: [servers, 'mockttp', port, 'ca.pem', 'ca-key.pem', bodyFile, modules],
      ca: `${cwd}/ca.pem`,
    };
  },

  'wiremock@3.13.2': ({ modules, cert, key, body, port }) => {
    const request = { method: 'GET', urlPath: PATH, queryParameters: { apikey: { equalTo: KEY } } };
    const response = { status: 200, headers: JSON_TYPE, body };
    const store = ['-out', 'store.p12', '-passout', 'pass:password'];
    const https = ['--disable-http', '--https-port', port, '--https-keystore', 'store.p12'];
    const passwords = ['--keystore-password', 'password', '--key-manager-password', 'password'];
    const own = ['--bind-address', '127.0.0.1', '--keystore-type', 'PKCS12', '--root-dir', '.'];
    return {
      files: { 'mappings/balance.json': { request, response } },
      prepare: [
        ['java', '-version'],
        ['openssl', 'pkcs12', '-export', '-inkey', key, '-in', cert, ...store],
      ],
      command: 'java',
      args: [
        '-jar',
        `${modules}/wiremock/build/wiremock-standalone-3.13.2.jar`,
        ...[...https, ...passwords, ...own],
      ],
    };
  },

  // It closes each connection, unless a header says that it is kept.
  'mountebank@2.9.1': ({ modules, cert, key, body, port, otherPort }) => {
    const kept = { Connection: 'keep-alive', 'Content-Length': Buffer.byteLength(body) };
    const predicates = [{ equals: { method: 'GET', path: PATH, query: { apikey: KEY } } }];
    const is = { statusCode: 200, headers: { ...JSON_TYPE, ...kept }, body };
    const pair = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
    const stubs = [{ predicates, responses: [{ is }] }];
    const imposters = [{ protocol: 'https', port, ...pair, stubs }];
    const own = ['--port', otherPort, '--localOnly', '--noParse'];
    return {
      files: { 'imposters.json': { imposters } },
      args: [`${modules}/mountebank/bin/mb`, 'start', '--configfile', 'imposters.json', ...own],
    };
  },

  // It has neither HTTPS nor a key check.
  'json-server@0.17.4': ({ modules, body, port }) => ({
    files: { 'db.json': { balance: JSON.parse(body) }, 'routes.json': { '/momo/*': '/$1' } },
    args: [
      ...[`${modules}/json-server/lib/cli/bin.js`, 'db.json', '--routes', 'routes.json'],
      ...['--port', port, '--host', '127.0.0.1'],
    ],
    ca: null,
  }),
};
