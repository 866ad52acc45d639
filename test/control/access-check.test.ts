import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../tls/temporary-folder.ts';
import { controlApp, refused } from './control-app.ts';

const REQUESTS = [
  'GET /health',
  'HEAD /health',
  'GET /certificate',
  'GET /balance',
  'PUT /balance',
  'GET /responses',
  'GET /requests',
  'POST /accounts',
  'GET /tls',
  'POST /reset',
  'GET /openapi.json',
  'GET /',
  'GET /accounts',
  'GET /no-such-path',
  'PATCH /balance',
  'OPTIONS /balance',
  'GET /%zz',
];

describe('a web page', () => {
  it.each([
    ['of another host', 'localhost:8480', 'http://evil.example', 403],
    ['of another port', 'localhost:8480', 'http://localhost:3000', 403],
    ['of another scheme', 'localhost:8480', 'https://localhost:8480', 403],
    ['of another name of this machine', 'localhost:8480', 'http://127.0.0.1:8480', 403],
    ['of a name that begins alike', 'localhost:8480', 'http://localhost:8480.evil.example', 403],
    ['of nowhere', 'localhost:8480', 'null', 403],
    ['of an empty origin', 'localhost:8480', '', 403],
    ['of two origins', 'localhost:8480', 'http://localhost:8480, http://evil.example', 403],
    ['of a file', 'localhost:8480', 'file://', 403],
    ['of this listener', 'localhost:8480', 'http://localhost:8480', 200],
    ['of this listener, in capitals', 'LOCALHOST:8480', 'http://LocalHost:8480', 200],
    ['of this listener, by its address', '[::1]:8480', 'http://[::1]:8480', 200],
    ['of this listener, at the default port', 'localhost:80', 'http://localhost', 200],
  ])('%s', async (_what, host, origin, status) => {
    const { send } = await controlApp();
    const reply = await send('GET /health', { headers: { host, origin } });
    expect(reply.status).toBe(status);
    if (status === 403) expect(reply).toMatchObject(refused(403, 'MOMO_MOCK_ORIGIN_REFUSED'));
  });

  it.each([
    ['cross-site', 403],
    ['same-origin', 200],
    ['same-site', 200],
    ['none', 200],
  ])('that fetches %s: %i', async (site, status) => {
    const { send } = await controlApp();
    const reply = await send('GET /health', { headers: { 'sec-fetch-site': site } });
    expect(reply.status).toBe(status);
  });

  it('of another origin can neither read, write nor ask what it may', async () => {
    const { send, ask } = await controlApp();
    for (const request of REQUESTS) {
      const headers = {
        origin: 'http://sekret.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      };
      const reply = await send(request, { headers });
      expect(reply.status, request).toBe(403);
      expect(reply.body).not.toContain('sekret');
      const names = Object.keys(reply.headers);
      expect(names.filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    expect(ask('alice-key').status).toBe(200);
  });
});

describe('a host that is not expected', () => {
  it('is refused on every path', async () => {
    const { send } = await controlApp();
    for (const request of REQUESTS) {
      const reply = await send(request, { headers: { host: 'evil.example' } });
      expect(reply.status, request).toBe(403);
    }
  });
});

describe('the token', () => {
  const token = 'tökén-of-this-test';
  const sent = Buffer.from(token).toString('latin1');

  it.each([
    ['none', undefined, 401],
    ['nothing', '', 401],
    ['the scheme alone', 'Bearer', 401],
    ['another', 'Bearer sekret', 401],
    ['its beginning', `Bearer ${sent.slice(0, -1)}`, 401],
    ['more than it', `Bearer ${sent}x`, 401],
    ['another scheme', `Basic ${sent}`, 401],
    ['no scheme', sent, 401],
    ['it', `Bearer ${sent}`, 200],
    ['it, the scheme in small letters', `bearer ${sent}`, 200],
  ])('is demanded; %s comes', async (_what, authorization, status) => {
    const { send } = await controlApp({ token });
    const headers = authorization === undefined ? {} : { authorization };
    const reply = await send('GET /health', { headers });
    expect(reply.status).toBe(status);
    if (status === 200) return;
    expect(reply).toMatchObject(refused(401, 'MOMO_MOCK_TOKEN'));
    expect(reply.headers['www-authenticate']).toBe('Bearer');
    expect(reply.body).not.toMatch(/sekret|this-test/);
  });

  it('is demanded on every path, also of what is not there', async () => {
    const { send, ask } = await controlApp({ token });
    for (const request of REQUESTS) expect((await send(request)).status, request).toBe(401);
    expect(ask('alice-key').status).toBe(200);
  });

  it('is not demanded for the live page, which asks for it', async () => {
    const folder = temporaryFolder();
    for (const file of ['index.html', 'app.js']) writeFileSync(join(folder, file), file);
    const { send } = await controlApp({ token, pageFolder: folder });
    const page = await send('GET /', { headers: { accept: 'text/html' } });
    const script = await send('GET /page/app.js');
    expect([page, script].map(({ status }) => status)).toEqual([200, 200]);
    const foreign = { host: 'evil.example', accept: 'text/html' };
    expect((await send('GET /', { headers: foreign })).status).toBe(403);
    expect((await send('GET /page/app.js', { headers: foreign })).status).toBe(403);
  });

  it('that is not configured is not looked at', async () => {
    const { send } = await controlApp();
    const headers = { authorization: 'Bearer whatever' };
    expect((await send('GET /health', { headers })).status).toBe(200);
  });

  it('is no empty text by mistake', async () => {
    const { send } = await controlApp({ token: '' });
    for (const headers of [{}, { authorization: 'Bearer ' }]) {
      expect((await send('GET /health', { headers })).status).toBe(401);
    }
  });
});
