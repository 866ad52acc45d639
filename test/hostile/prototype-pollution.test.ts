import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { runMock } from '../support/running-mock.ts';
import { temporaryFolder } from '../tls/temporary-folder.ts';

const JSONS = [
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"headers":{"__proto__":{"polluted":1}}}',
  '{"headers":{"__proto__":"polluted","constructor":"polluted"}}',
  '{"body":{"__proto__":{"polluted":1}}}',
  '{"balance":{"__proto__":{"polluted":1}}}',
  '{"apikey":"__proto__"}',
  '{"variant":"__proto__"}',
  '{"operation":"__proto__"}',
  '{"operation":"constructor"}',
  '{"fault":"__proto__"}',
  '{"fault":{"type":"constructor"}}',
  '{"mode":"__proto__"}',
  '{"delay":{"__proto__":1}}',
];
const QUERIES = [
  '__proto__[polluted]=1',
  '__proto__.polluted=1',
  '__proto__=polluted',
  'constructor[prototype][polluted]=1',
  'constructor=1&toString=1&hasOwnProperty=1',
];

const before = Object.getOwnPropertyNames(Object.prototype);
afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  expect({}).not.toHaveProperty('polluted');
});

it('no body of the control API reaches a prototype, or breaks what comes after it', async () => {
  const mock = await runMock();
  for (const route of ['PUT /balance', 'PUT /responses', 'POST /accounts', 'PUT /tls']) {
    const [method = '', path = ''] = route.split(' ');
    for (const body of JSONS) {
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${mock.controlUrl}${path}`, { method, headers, body });
      expect(reply.status, `${route} ${body}`).toBeLessThan(500);
      await fetch(`${mock.controlUrl}/reset`, { method: 'POST' });
    }
  }
  expect((await mock.get('/momo/balance?apikey=good')).status).toBe(200);
});

it('a balance with such fields is served as it was set', async () => {
  const mock = await runMock();
  const balance = '{"success":true,"message":"x","balance":[],"__proto__":{"polluted":1}}';
  mock.controller.setBalance('good', Buffer.from(balance));
  expect((await mock.get('/momo/balance?apikey=good')).body).toBe(balance);
});

it('no query, key or header reaches one, and the names are no keys and no operations', async () => {
  const mock = await runMock();
  for (const query of QUERIES) {
    expect((await mock.get(`/momo/balance?apikey=good&${query}`)).status).toBe(200);
    expect((await fetch(`${mock.controlUrl}/requests?${query}`)).status).toBeLessThan(500);
  }
  for (const name of Object.getOwnPropertyNames(Object.prototype)) {
    expect((await mock.get(`/momo/balance?apikey=${name}`)).status, name).toBe(401);
    expect((await mock.get(`/${name}?apikey=good`)).status, name).toBe(404);
    expect((await fetch(`${mock.controlUrl}/${name}`)).status, name).toBe(404);
  }
});

it('no fixture reaches one, by its name or by what is in it', async () => {
  const dir = temporaryFolder();
  const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  for (const folder of ['__proto__', 'constructor']) {
    await mkdir(join(dir, folder));
    await writeFile(join(dir, folder, 'prototype.get.json'), body);
  }
  const mock = await runMock({ FIXTURES_DIR: dir });
  const reply = await mock.get('/constructor/prototype?apikey=good');
  expect(reply).toMatchObject({ status: 200, body });
  // What begins with _ is no operation.
  expect((await mock.get('/__proto__/prototype?apikey=good')).status).toBe(404);
});
