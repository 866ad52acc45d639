import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Command, needs, needsPython } from '../support/machine.ts';
import { TLS_MODES } from '../support/program.ts';
import { blockOf, blocksOf, codeOf, readDocument, rowsBelow } from './documents.ts';
import { at } from './examples.ts';
import { shareMock } from './shared-mock.ts';
import { openShell } from './shell.ts';

/** A client that the page gives the certificate, and a program of it that prints the balance. */
interface Client {
  readonly kind: string;
  readonly command?: Command;
  readonly file?: string;
  readonly program?: string;
}

const CLIENTS: Client[] = [
  { kind: 'curl', command: 'curl' },
  {
    kind: 'node',
    file: 'app.mjs',
    program: 'console.log(await (await fetch(process.env.BALANCE)).text());',
  },
  {
    kind: 'requests',
    command: 'python3',
    file: 'app.py',
    program: 'import os, requests\nprint(requests.get(os.environ["BALANCE"]).text)',
  },
  {
    kind: 'python',
    command: 'python3',
    file: 'app.py',
    program:
      'import os, urllib.request\nprint(urllib.request.urlopen(os.environ["BALANCE"]).read().decode())',
  },
  {
    kind: 'go',
    command: 'go',
    file: 'main.go',
    program: `package main
import ("io"; "net/http"; "os")
func main() {
  response, err := http.Get(os.Getenv("BALANCE"))
  if err != nil { panic(err) }
  io.Copy(os.Stdout, response.Body)
}`,
  },
  {
    kind: 'ruby',
    command: 'ruby',
    file: 'app.rb',
    program: 'require "net/http"\nputs Net::HTTP.get(URI(ENV["BALANCE"]))',
  },
];

describe('docs/tls.md', () => {
  const PAGE = readDocument('docs/tls.md');
  const BALANCE = 'https://localhost:8443/momo/balance?apikey=momo_test_key';

  it('shows a block for each client of this test', () => {
    const kinds = blocksOf(PAGE).flatMap(({ info }) => /^sh (\w+)$/.exec(info)?.[1] ?? []);
    expect(kinds).toEqual(CLIENTS.map(({ kind }) => kind));
  });

  it.for(CLIENTS)('shows how $kind gets the balance', async (client, context) => {
    const { kind, command, file, program } = client;
    if (command !== undefined) needs(context, command);
    if (kind === 'requests') needsPython(context, 'requests');
    const shell = openShell();
    const ready = await shell.start('momo-mock');
    if (file !== undefined) writeFileSync(join(shell.folder, file), program ?? '');
    writeFileSync(join(shell.folder, 'go.mod'), 'module app\n\ngo 1.19\n');
    const env = { BALANCE: at(ready, BALANCE) };
    const lines = at(ready, blockOf(PAGE, `sh ${kind}`)).replace('curl ', 'curl -sSf ');
    expect(shell.run(lines, env)).toContain('"amount": 2000');
  });
});

describe('docs/tls.md, in a TLS mode', () => {
  const share = shareMock('momo-mock');
  const rows = rowsBelow(
    readDocument('docs/tls.md'),
    'Test that your client verifies certificates',
  ).map(([mode = '', , , error = '']) => ({ mode: codeOf(mode)[0], error: codeOf(error)[0] }));

  it('shows each mode', () => {
    expect(rows.map(({ mode }) => mode)).toEqual(TLS_MODES);
  });

  it.for(rows)('$mode makes Node fail with $error', async ({ mode, error }) => {
    const { url, controlUrl } = await share();
    const shell = openShell();
    await fetch(`${controlUrl}/tls`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mode }),
    });
    const program = `fetch('${url}').then(() => 'none', ({ cause }) => cause.code).then(console.log)`;
    const said = shell.run(`NODE_EXTRA_CA_CERTS=certs/momo-mock.pem node -e "${program}"`);
    expect(said.trim()).toBe(error ?? 'none');
  });
});
