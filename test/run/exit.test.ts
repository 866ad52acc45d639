import { writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceBuiltin } from '../support/builtin.ts';
import { run } from '../support/command-in-process.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { needs } from '../support/machine.ts';
import { runHere, runNode } from './node-command.ts';

describe('the exit code of run is', () => {
  it.each([
    { name: 'the exit code of the command', script: 'process.exit(255)', flags: [], code: 255 },
    {
      name: '1 without an expected request',
      script: '',
      flags: ['--expect-requests'],
      code: 1,
    },
    {
      name: '0 with an expected request',
      script: 'await ask()',
      flags: ['--expect-requests'],
      code: 0,
    },
    {
      name: '0 if no request is expected',
      script: '',
      flags: ['--expect-requests=false'],
      code: 0,
    },
    {
      name: 'the exit code of the command, even without a request',
      script: 'process.exit(3)',
      flags: ['--expect-requests'],
      code: 3,
    },
  ])('$name', async ({ script, flags, code }) => {
    const ended = await runHere(script, flags);
    expect(ended.code).toBe(code);
    expect(ended.stderr.includes('The command sent no requests to the mock, ')).toBe(code === 1);
  });

  it('1 if no connection became a request', async () => {
    const script = `const { connect, rootCertificates: ca } = require('node:tls');
      connect(new URL(env.MOMO_MOCK_URL).port, { ca }).on('error', () => {});`;
    const { code, stderr } = await runHere(script, ['--expect-requests']);
    expect(code).toBe(1);
    expect(stderr).toContain('momo-mock: no requests: 1 × tls-handshake\n');
  });

  it('2 for settings that are wrong, before the command', async () => {
    const { code, said } = await runHere('say(1)', ['--variant', 'none']);
    expect({ code, said }).toEqual({ code: 2, said: undefined });
  });

  it('127 if the program does not exist, and its arguments are not shown', async () => {
    // On a PATH with a folder that this user may not read it could be there.
    const env = { PATH: '/usr/bin:/bin' };
    const { code, stderr } = await run(['run', '--', 'no-such-program', 'sekret'], { env });
    expect(code).toBe(127);
    expect(stderr).toMatch(
      /\nFailed to run no-such-program: there is no such program\. Use .+\.\n$/,
    );
    expect(stderr).not.toContain('sekret');
  });

  it('126 if the program cannot be executed', async () => {
    const file = join(temporaryFolder(), 'text');
    writeFileSync(file, 'text');
    const { code, stderr } = await run(['run', '--', file]);
    expect(code).toBe(126);
    expect(stderr).toContain(`\nFailed to run ${file}: it cannot be executed (EACCES). Make it`);
  });

  it('1 if the folder for temporary files does not exist, and the sentence names it', async () => {
    const TMPDIR = join(temporaryFolder(), 'none');
    const stderr = `Failed to create a folder in ${TMPDIR}: ENOENT. Set TMPDIR to a writable folder.\n`;
    const ended = await run(['run', '--', 'true'], { env: { TMPDIR } });
    expect(ended).toEqual({ code: 1, stdout: '', stderr });
  });

  it('1 if the disk of temporary files is full, and the sentence says so', async () => {
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
    replaceBuiltin(files, 'writeFile', () => Promise.reject(full));
    const { code, said, stderr } = await runHere('say(1)');
    expect({ code, said }).toEqual({ code: 1, said: undefined });
    expect(stderr).toBe(
      'Failed to run: the disk is full (ENOSPC). Free some space, or set TMPDIR to a folder on another disk.\n',
    );
  });
});

it.each(['SIGTERM', 'SIGINT', 'SIGKILL'])(
  '%s that ends the command ends momo-mock in the same way',
  async (signal) => {
    const ended = await runNode(`process.kill(process.pid, '${signal}'); setInterval(() => {}, 9)`);
    const stderr = 'momo-mock: no requests\n';
    expect(ended).toEqual({ code: null, signal, stdout: '', stderr });
  },
);

describe('standard error of run ends with what is known of a program that did not reach the mock:', () => {
  /** Runs a file that exits with 0, under the name of a program. */
  const runAs = async (program: string, flags: readonly string[]) => {
    const path = join(temporaryFolder(), program);
    writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
    const { stderr } = await run(['run', ...flags, '--', path]);
    return stderr.split('\n').at(-2);
  };
  const NONE = 'momo-mock: no requests';

  it.each([
    { program: 'ruby', known: 'look up names' },
    { program: 'python3.11', known: 'such as uvloop,' },
    { program: 'java', known: 'proxy properties' },
    { program: 'deno', known: '--allow-env' },
    { program: 'bun', known: 'BUN_OPTIONS' },
  ])('$program', async ({ program, known }) => {
    const last = await runAs(program, ['--redirect', 'a.example,b.example']);
    expect(last).toMatch(
      /^momo-mock: If [a-z]+ sent requests to a\.example, b\.example, they reached the real host: .+ Set the base URL .+\.$/,
    );
    expect(last).toContain(known);
  });

  it('also with a preset, and if requests were expected', async () => {
    const last = await runAs('ruby', ['--preset', 'mtn-momo', '--expect-requests']);
    expect(last).toContain(' sent requests to sandbox.momodeveloper.mtn.com, ');
  });

  it('nothing of other programs, and nothing without a redirect', async () => {
    expect(await runAs('npm', ['--redirect', 'a.example'])).toBe(NONE);
    expect(await runAs('ruby', [])).toBe(NONE);
  });

  it('nothing if a connection reached the mock', async (context) => {
    needs(context, 'python3');
    const script = `import os, socket, urllib.parse
url = urllib.parse.urlparse(os.environ['MOMO_MOCK_URL'])
with socket.create_connection((url.hostname, url.port)) as one:
    one.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n')
    one.recv(1)`;
    const words = ['run', '--redirect', 'a.example', '--', 'python3', '-c', script];
    expect((await run(words)).stderr).not.toContain('a.example');
  });
});

describe('standard error of run has', () => {
  it('the requests by their outcome, the most frequent first, even those that a test removes, and a hint for each refusal', async () => {
    const script = `await control('PUT', '/responses', [{ fault: 'reset' }, { status: 503, times: 3 }]);
      await ask().catch(() => {});
      for (let left = 4; left > 0; left--) await ask();
      await ask('wrong');
      await control('POST', '/reset');`;
    const { stderr } = await runHere(script);
    expect(stderr.split('\n')).toEqual([
      'momo-mock: 6 requests: 3 × 503, 1 × 200, 1 × 401 key-unknown, 1 × reset',
      expect.stringMatching(/^momo-mock: 401 key-unknown: No account has this key\. .*\.$/),
      '',
    ]);
  });

  it('the failed requests, and connections without a request, which do not count as requests', async () => {
    const script = `const { MOMO_MOCK_URL: url, MOMO_MOCK_APIKEY: key } = env;
      await control('PUT', '/responses', [{ fault: { type: 'dribble', duration: 1 } }, { delay: 60000 }]);
      await (await ask()).text();
      const gone = new AbortController();
      const left = fetch(url + '/momo/balance?apikey=' + key, { signal: gone.signal }).catch(() => {});
      await control('GET', '/requests?waitFor=2');
      gone.abort();
      await left;
      await control('GET', '/requests?waitFor=2&ended=true');
      await fetch(url.replace('https', 'http'));`;
    expect((await runHere(script)).stderr).toMatch(
      /^momo-mock: 2 requests: 1 × 200 dribble, 1 × 400 plain-http, 1 × no response\nmomo-mock: 400 plain-http: .*\n$/,
    );
  });

  it('the scripted responses that no request used, by operation, also those that a test removes', async () => {
    const script = `const { apiKey } = await (await control('POST', '/accounts')).json();
      const scripted = { operation: 'GET /momo/balance', status: 500 };
      await fetch(env.MOMO_MOCK_CONTROL_URL + '/responses', {
        method: 'PUT', headers: { apikey: apiKey, 'content-type': 'application/json' },
        body: JSON.stringify([scripted, { ...scripted, times: 'always' }]),
      });
      await control('PUT', '/responses', [{ status: 503 }, { status: 503, times: 2 }, scripted]);
      await ask();
      const { ids } = await (await control('PUT', '/responses', [{ delay: 1 }, { delay: 2 }])).json();
      await control('DELETE', '/responses/' + ids[0]);
      await control('POST', '/reset');
      await control('PUT', '/responses', { delay: 3 });`;
    expect((await runHere(script)).stderr).toBe(
      'momo-mock: 1 request: 1 × 503\nmomo-mock: 6 scripted responses were not used: 4 × any operation, 2 × GET /momo/balance\n',
    );
  });

  it('one of them in the singular, for a snapshot that replaces it and an account that is removed', async () => {
    const script = `const { apiKey } = await (await control('POST', '/accounts')).json();
      const headers = { apikey: apiKey, 'content-type': 'application/json' };
      const own = (method, path, body) => fetch(env.MOMO_MOCK_CONTROL_URL + path, { method, headers, body });
      const empty = await (await own('GET', '/snapshot')).text();
      await own('PUT', '/responses', '{"status":503}');
      const full = await (await own('GET', '/snapshot')).text();
      await own('PUT', '/snapshot', full.replace('503', '99'));
      await own('PUT', '/snapshot', REPLACED);
      await own('DELETE', '/accounts');`;
    for (const replaced of ['empty', '"{}"']) {
      const { stderr } = await runHere(script.replace('REPLACED', replaced));
      expect(stderr).toBe(
        'momo-mock: no requests\nmomo-mock: 1 scripted response was not used: 1 × any operation\n',
      );
    }
  });

  it('the webhook attempts that did not get through, by URL and outcome, and a hint for each', async () => {
    const script = `const statuses = [403, 403, 500, 204, 403];
      const app = require('node:http').createServer((_request, response) => {
        response.writeHead(statuses.shift()).end();
      });
      await new Promise((done) => app.listen(0, done));
      const url = 'http://localhost:' + app.address().port + '/hook/9f8e7d6c?id=';
      const call = (webhook) => control('POST', '/webhooks', webhook);
      for (const id of [1, 2, 3, 4]) await call({ url: url + id });
      await call({ url, accept: [403] });
      await call({ url: 'http://192.0.2.1/' });
      await control('PUT', '/webhooks/script', [{ lose: true }]);
      await call({ url });
      await control('POST', '/reset');
      app.close();`;
    const lines = (await runHere(script)).stderr.replace(/:\d{4,5}\//g, ':PORT/').split('\n');
    const [forbidden, elsewhere] = [
      '403 from http://localhost:PORT/hook/…',
      'host-not-allowed at http://192.0.2.1/',
    ];
    expect(lines).toEqual([
      'momo-mock: no requests',
      `momo-mock: 4 webhook attempts did not get through: 2 × ${forbidden}, 1 × 500 from http://localhost:PORT/hook/…, 1 × ${elsewhere}`,
      expect.stringMatching(
        /^momo-mock: 403 from .+\/…: The application forbids the webhook, .+\.$/,
      ),
      expect.stringMatching(/^momo-mock: host-not-allowed at .+: Webhooks only go to this machine/),
      '',
    ]);
  });

  it('log records before the summary', async () => {
    const { stderr } = await runHere('await ask(); await ask("wrong")', ['--log-level', 'info']);
    const [one = '', other = '', tally] = stderr.split(/(?<=\n)/);
    expect([one, other].map((line) => JSON.parse(line).status)).toEqual([200, 401]);
    expect(tally).toBe('momo-mock: 2 requests: 1 × 200, 1 × 401 key-unknown\n');
  });

  it('nothing of momo-mock with --log-level silent', async () => {
    expect(await runHere('await ask()', ['--log-level', 'silent'])).toMatchObject({ stderr: '' });
  });
});
