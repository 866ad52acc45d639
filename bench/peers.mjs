// The mock servers that momo-mock is measured beside, from npm: each answers the same body.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextPort } from './server.mjs';
import { install, run, SERVERS } from './sides.mjs';

const [PATH, KEY] = ['/momo/balance', 'momo_test_key'];
const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

function writeJson(file, value) {
  writeFileSync(file, JSON.stringify(value));
  return file;
}

/** By package: prepares it, and gives what makes the command of one start. */
const PEERS = {
  '@mockoon/cli@9.9.0': ({ modules, cert, key, body }) => {
    const bin = join(modules, '@mockoon/cli/bin/run.js');
    const rules = [{ target: 'query', modifier: 'apikey', value: KEY, operator: 'equals' }];
    const headers = [{ key: 'Content-Type', value: JSON_TYPE['Content-Type'] }];
    const responses = [
      { default: true, statusCode: 401, body: '{}' },
      { statusCode: 200, headers, body, rules, disableTemplating: true },
    ];
    const routes = [{ uuid: 'balance', method: 'get', endpoint: PATH.slice(1), responses }];
    const rootChildren = [{ type: 'route', uuid: 'balance' }];
    const tlsOptions = { enabled: true, type: 'CERT', certPath: cert, keyPath: key };
    const environment = { hostname: '127.0.0.1', routes, rootChildren, tlsOptions };
    return (port, cwd) => {
      const data = writeJson(join(cwd, 'data.json'), { ...environment, port });
      return { args: [bin, 'start', '--repair', '--data', data] };
    };
  },

  'mockttp@4.6.5': async ({ modules, newFolder, bodyFile }) => {
    const code = `require('${modules}/mockttp').generateCACertificate().then((ca) => console.log(JSON.stringify(ca)))`;
    const { cert, key } = JSON.parse(await run(process.execPath, ['-e', code]));
    const folder = newFolder();
    const [ca, caKey] = [join(folder, 'ca.pem'), join(folder, 'ca-key.pem')];
    writeFileSync(ca, cert);
    writeFileSync(caKey, key);
    return (port) => ({ args: [SERVERS, 'mockttp', port, ca, caKey, bodyFile, modules], ca });
  },

  'wiremock@3.13.2': async ({ modules, newFolder, cert, key, body }) => {
    const jar = join(modules, 'wiremock/build/wiremock-standalone-3.13.2.jar');
    const folder = newFolder();
    const store = join(folder, 'store.p12');
    const pair = ['-inkey', key, '-in', cert, '-out', store, '-passout', 'pass:password'];
    await run('java', ['-version']);
    await run('openssl', ['pkcs12', '-export', ...pair]);
    const request = { method: 'GET', urlPath: PATH, queryParameters: { apikey: { equalTo: KEY } } };
    mkdirSync(join(folder, 'mappings'));
    const response = { status: 200, headers: JSON_TYPE, body };
    writeJson(join(folder, 'mappings/balance.json'), { request, response });
    const https = ['--disable-http', '--bind-address', '127.0.0.1', '--https-keystore', store];
    const passwords = ['--keystore-password', 'password', '--key-manager-password', 'password'];
    const type = ['--keystore-type', 'PKCS12', '--root-dir', folder];
    return (port) => {
      const args = ['-jar', jar, '--https-port', port, ...https, ...passwords, ...type];
      return { command: 'java', args };
    };
  },

  'mountebank@2.9.1': ({ modules, cert, key, body }) => {
    const bin = join(modules, 'mountebank/bin/mb');
    const kept = { Connection: 'keep-alive', 'Content-Length': Buffer.byteLength(body) };
    const predicates = [{ equals: { method: 'GET', path: PATH, query: { apikey: KEY } } }];
    const is = { statusCode: 200, headers: { ...JSON_TYPE, ...kept }, body };
    const pair = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
    const imposter = { protocol: 'https', ...pair, stubs: [{ predicates, responses: [{ is }] }] };
    return (port, cwd) => {
      const file = writeJson(join(cwd, 'imposters.json'), { imposters: [{ ...imposter, port }] });
      const own = ['--port', nextPort(), '--localOnly'];
      return { args: [bin, 'start', '--configfile', file, '--noParse', ...own] };
    };
  },

  'json-server@0.17.4': ({ modules, body }) => {
    const bin = join(modules, 'json-server/lib/cli/bin.js');
    return (port, cwd) => {
      const data = writeJson(join(cwd, 'db.json'), { balance: JSON.parse(body) });
      const routes = writeJson(join(cwd, 'routes.json'), { '/momo/*': '/$1' });
      const where = ['--port', port, '--host', '127.0.0.1'];
      return { args: [bin, data, '--routes', routes, ...where], ca: undefined };
    };
  },
};

/** Installs a package, unless an earlier run has; gives the folder. */
async function fetchPeer(name) {
  const folder = join(tmpdir(), 'momo-mock-bench', name.replace('/', '-'));
  if (!existsSync(folder)) {
    const scratch = `${folder}.${process.pid}`;
    mkdirSync(scratch, { recursive: true });
    await install(scratch, name);
    renameSync(scratch, folder);
  }
  return folder;
}

/** The peers as sides. Each is fetched and prepared before its first start. */
export function peerSides(workshop) {
  return Object.entries(PEERS).map(([name, prepare]) => {
    let prepared;
    const fetch = () => fetchPeer(name);
    const command = async (port) => {
      prepared ??= prepare({ ...workshop, modules: join(await fetch(), 'node_modules') });
      const cwd = workshop.newFolder();
      return { cwd, ca: workshop.cert, ...(await (await prepared)(port, cwd)) };
    };
    return { name, isPeer: true, fetch, command };
  });
}
