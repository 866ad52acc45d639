import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Session } from '../../src/service/session.ts';

function requestOf(url: string, ...rawHeaders: string[]): IncomingMessage {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers[rawHeaders[at]?.toLowerCase() ?? ''] = rawHeaders[at + 1] ?? '';
  }
  return { url, rawHeaders, headers } as unknown as IncomingMessage;
}

describe('a session', () => {
  it('keeps headers once that come again', () => {
    const session = new Session('normal');
    const first = session.read(requestOf('/a', 'Host', 'x', 'Accept', '*/*'));
    const again = session.read(requestOf('/b', 'Host', 'x', 'Accept', '*/*'));
    expect(again.headers).toBe(first.headers);
    expect([first.url, again.url]).toEqual(['/a', '/b']);
  });

  it.each([
    ['a value', ['Host', 'y']],
    ['a name', ['Hosts', 'x']],
    ['its length', ['Host', 'x', 'Accept', '*/*']],
    ['none at all', []],
  ])('gives each request its own where they differ by %s', (_, others) => {
    const session = new Session('normal');
    const first = session.read(requestOf('/', 'Host', 'x'));
    const { headers } = requestOf('/', ...others);
    expect(session.read(requestOf('/', ...others)).headers).toEqual(headers);
    expect(first.headers).toEqual({ host: 'x' });
    expect(session.read(requestOf('/', 'Host', 'x')).headers).toEqual({ host: 'x' });
  });
});
