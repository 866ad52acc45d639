import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../tls/temporary-folder.ts';
import { controlApp, OVERVIEW } from './control-app.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** A control API with files of a page. */
async function withPage() {
  const pageFolder = join(temporaryFolder(), 'page');
  mkdirSync(pageFolder);
  for (const file of ['index.html', 'app.js', 'style.css', 'icon.svg', 'other.txt']) {
    writeFileSync(join(pageFolder, file), `content of ${file}`);
  }
  return await controlApp({ pageFolder });
}

describe('GET /', () => {
  it.each([undefined, '*/*', 'application/json'])('is JSON for %s', async (accept) => {
    const { send } = await withPage();
    const reply = await send('GET /', { headers: accept === undefined ? {} : { accept } });
    expect(reply).toMatchObject({ status: 200, json: OVERVIEW });
    expect(reply.headers.vary).toBe('accept');
  });

  it('is the live page in a browser', async () => {
    const { send } = await withPage();
    const reply = await send('GET /', { headers: { accept: BROWSER } });
    expect(reply).toMatchObject({ status: 200, body: 'content of index.html' });
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept',
    });
  });

  it('lets the page load and run nothing but its own files', async () => {
    const { send } = await withPage();
    const { headers } = await send('GET /', { headers: { accept: BROWSER } });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    const policy = `${headers['content-security-policy']}`.split('; ').map((it) => it.split(' '));
    expect(Object.fromEntries(policy.map(([name, ...sources]) => [name, sources]))).toEqual({
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'connect-src': ["'self'"],
      'img-src': ["'self'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
      'require-trusted-types-for': ["'script'"],
    });
  });

  it.each([
    ['app.js', 'text/javascript; charset=utf-8'],
    ['style.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
  ])('serves /page/%s', async (file, type) => {
    const { send } = await withPage();
    const reply = await send(`GET /page/${file}`);
    expect(reply).toMatchObject({ status: 200, body: `content of ${file}` });
    expect(reply.headers['content-type']).toBe(type);
  });

  it.each(['other.txt', '..%2Fpackage.json', 'index.html'])('serves no /page/%s', async (file) => {
    const { send } = await withPage();
    expect((await send(`GET /page/${file}`)).status).toBe(404);
  });
});
