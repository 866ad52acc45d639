import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An answer of Mockoon's data file. */
function response(uuid, statusCode, body, rules) {
  return {
    uuid,
    body,
    statusCode,
    latency: 0,
    label: '',
    headers: [{ key: 'Content-Type', value: 'application/json; charset=utf-8' }],
    bodyType: 'INLINE',
    filePath: '',
    databucketID: '',
    sendFileAsBody: false,
    rules,
    rulesOperator: 'AND',
    disableTemplating: true,
    fallbackTo404: false,
    default: rules.length === 0,
    crudKey: 'id',
    callbacks: [],
  };
}

/** Mockoon's data file for the one answer, behind the key. */
function environment({ port, cert, key, body }) {
  const isKey = { target: 'query', modifier: 'apikey', value: 'momo_test_key', operator: 'equals' };
  const route = {
    uuid: 'a0000000-0000-4000-8000-000000000001',
    type: 'http',
    documentation: '',
    method: 'get',
    endpoint: 'momo/balance',
    responses: [
      response('a0000000-0000-4000-8000-000000000002', 401, '{}', []),
      response('a0000000-0000-4000-8000-000000000003', 200, body, [{ ...isKey, invert: false }]),
    ],
    responseMode: null,
    streamingMode: null,
    streamingInterval: 0,
  };
  return {
    uuid: 'a0000000-0000-4000-8000-000000000000',
    lastMigration: 33,
    name: 'bench',
    port,
    hostname: '127.0.0.1',
    endpointPrefix: '',
    latency: 0,
    folders: [],
    routes: [route],
    rootChildren: [{ type: 'route', uuid: route.uuid }],
    proxyMode: false,
    proxyHost: '',
    proxyRemovePrefix: false,
    tlsOptions: {
      enabled: true,
      type: 'CERT',
      pfxPath: '',
      certPath: cert,
      keyPath: key,
      caPath: '',
      passphrase: '',
    },
    cors: true,
    headers: [],
    proxyReqHeaders: [{ key: '', value: '' }],
    proxyResHeaders: [{ key: '', value: '' }],
    data: [],
    callbacks: [],
  };
}

export const mockoon = {
  name: '@mockoon/cli',
  version: '9.9.0',
  command: ({ port, folder, cwd, cert, key, body }) => {
    const data = join(cwd, 'data.json');
    writeFileSync(data, JSON.stringify(environment({ port, cert, key, body })));
    const bin = join(folder, 'node_modules/@mockoon/cli/bin/run.js');
    return {
      command: process.execPath,
      args: [bin, 'start', '--data', data, '--repair'],
      ca: cert,
    };
  },
};
