import { expect, it } from 'vitest';
import type { DrillConfig } from '../../src/cli/drill/config.ts';
import { redirectSentence } from '../../src/cli/drill/redirect-sentence.ts';

const HTTP = { url: 'http://127.0.0.1:1/' };
const sentence = (config: Partial<DrillConfig>, hosts: readonly string[]) =>
  redirectSentence({ pay: HTTP, outcome: HTTP, ...config }, hosts, ['HTTPS_PROXY', 'NODE_OPTIONS']);

it('an application that sends no request is told how its requests find the mock', () => {
  const started = sentence({ start: 'app' }, ['api.example.com', 'api.example.org']);
  expect(started).toMatch(
    /^The drill redirects api\.example\.com, api\.example\.org to the mock with the environment variables HTTPS_PROXY, NODE_OPTIONS\. A client that reads none of them asks the real host\. /,
  );
  expect(started).toMatch(/ under php -S\. .+ configure \{url\} as its base URL: pass it in env, /);
  expect(sentence({ pay: { command: ['pay'] } }, ['api.example.com'])).toContain('redirects');
});

it('an application that cannot be redirected is told why', () => {
  expect(sentence({}, ['api.example.com'])).toBe(
    'Your application runs already, so the drill cannot redirect its requests. Its base URL has to be {url}, which pay can pass along.',
  );
  expect(sentence({ start: 'app' }, [])).toBe(
    'The drill redirects no host. Its base URL has to be {url}: pass it in env, in start or in a call.',
  );
});
