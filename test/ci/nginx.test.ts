import { expect, it } from 'vitest';
import { readDocument } from '../docs/documents.ts';
import { excerptsOf, isTrue } from '../examples/excerpt.ts';
import { KEEP_ALIVE, limits } from '../support/program.ts';

const FILE = 'examples/ci/nginx.conf';
const TEXT = readDocument(FILE);

/** The mocks of a list in their order, without their port. */
function mocksOf(list: string, port: number): string[] {
  const [, own = ''] = new RegExp(`^ {2}upstream ${list} {\n([^}]+)`, 'm').exec(TEXT) ?? [];
  const servers = [...own.matchAll(/^ *server (.+);$/gm)].map(([, server = '']) => server);
  return servers.map((server) => server.replace(`:${port} max_fails=0`, ''));
}

it('nginx has the same mocks in both lists, so that a key leads to the same mock', () => {
  const mocks = ['mock-1', 'mock-2', 'mock-3', 'mock-4'];
  expect(mocksOf('service', 8443)).toEqual(mocks);
  expect(mocksOf('control', 8480)).toEqual(mocks);
});

it('nginx asks for a name in the certificate of the image', () => {
  const [, name] = /proxy_ssl_name (\S+);/.exec(TEXT) ?? [];
  expect(readDocument('Dockerfile')).toContain(`MOMO_MOCK_TLS_HOSTS=${name}\n`);
});

it('nginx closes idle connections before the mock does, and keeps the longest body in memory', () => {
  const [, seconds] = /keepalive_timeout (\d+)s;/.exec(TEXT) ?? [];
  expect(Number(seconds) * 1000).toBeLessThan(KEEP_ALIVE);
  const [, mebibytes] = /client_body_buffer_size (\d+)m;/.exec(TEXT) ?? [];
  expect(Number(mebibytes) * 2 ** 20).toBe(limits.MAX_GIVEN_BYTES);
});

it('nginx logs no request, because a URL contains a key', () => {
  expect(TEXT.match(/^ *(access|error)_log .+;$/gm)).toEqual([
    'error_log stderr emerg;',
    '  access_log off;',
  ]);
});

it('docs/containers-and-ci.md shows the nginx file unchanged', () => {
  const excerpts = excerptsOf('docs/containers-and-ci.md');
  expect(excerpts.map(({ file }) => file)).toEqual([FILE]);
  expect(excerpts.filter((excerpt) => !isTrue(excerpt))).toEqual([]);
});
