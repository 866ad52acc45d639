import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Command, needs } from '../machine.ts';
import { type Block, blocksOf, readDocument } from './documents.ts';
import { openShell, type Ready, type Shell } from './shell.ts';

const DOCUMENT = readDocument('docs/troubleshooting.md');

/** A part of the page: the words that clients print, and what it shows of them. */
interface Entry {
  readonly title: string;
  readonly texts: readonly string[];
  readonly prose: string;
  readonly blocks: readonly Block[];
  /** The clients that it runs. */
  readonly needs: readonly Command[];
}

const CLIENTS = ['curl', 'python3', 'ruby', 'php', 'go', 'java', 'keytool'] as const;

const ENTRIES: Entry[] = DOCUMENT.split(/^### /m)
  .slice(1)
  .map((section) => {
    const [part = ''] = section.split(/^## /m);
    const [title = ''] = part.split('\n');
    const blocks = blocksOf(part);
    const words = blocks.flatMap(({ text }) => text.split(/\s+/));
    return {
      title,
      texts: [...title.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
      prose: part.slice(title.length),
      blocks,
      needs: CLIENTS.filter((client) => words.includes(client)),
    };
  });

const [tried, untried] = [
  ENTRIES.filter(({ blocks }) => blocks.length > 0),
  ENTRIES.filter(({ blocks }) => blocks.length === 0),
];

const blockOf = ({ blocks }: Entry, kind: string): string | undefined =>
  blocks.find(({ info }) => info === `sh ${kind}`)?.text.trim();

/** The ports of a mock that runs, in place of the default ones, and one that nobody has. */
function at({ port, controlUrl }: Ready, text: string): string {
  return text
    .replaceAll(':8444', ':2')
    .replace(/(:|--port )8443/g, `$1${port}`)
    .replaceAll(':8480', `:${new URL(controlUrl).port}`);
}

/** Runs lines as they are shown, and gives all that they print. */
function run(shell: Shell, ready: Ready, lines: string): string {
  const URL_ASKED = at(ready, 'https://localhost:8443/momo/balance?apikey=momo_test_key');
  const env = {
    URL: URL_ASKED,
    MOMO_MOCK_CONTROL_PORT: /health/.test(lines) ? new URL(ready.controlUrl).port : '0',
    NO_COLOR: '1',
  };
  return shell.run(`set -e\nexec 2>&1\n${at(ready, lines)}`, env);
}

/** A certificate that a CA of the user's own has signed. */
const OWN_CERTIFICATE = `
exec 2>&1; set -e
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca-key.pem -out ca.pem -days 2 -subj /CN=ca
openssl req -newkey rsa:2048 -nodes -keyout own-key.pem -out own.csr -subj /CN=own
printf 'subjectAltName=DNS:localhost\\n' > own.ext
openssl x509 -req -in own.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -out own.pem -extfile own.ext
`;

describe('the page', () => {
  it('runs what is wrong and what fixes it, or says that it does not', () => {
    expect(tried.length).toBeGreaterThan(20);
    for (const entry of tried) {
      expect(blockOf(entry, 'wrong'), entry.title).toBeDefined();
      expect(blockOf(entry, 'fixed'), entry.title).toBeDefined();
      expect(entry.texts.length, entry.title).toBeGreaterThan(0);
    }
    expect(untried.map(({ title }) => title)).toEqual([
      '`SEC_E_UNTRUSTED_ROOT`',
      '`NET::ERR_CERT_AUTHORITY_INVALID`',
    ]);
    for (const { prose } of untried) expect(prose).toContain('Not reproduced here');
  });

  it('never shows how to switch the check off', () => {
    expect(DOCUMENT).not.toMatch(/ -k |--insecure|REJECT_UNAUTHORIZED|verify=False|VERIFY_NONE/);
  });
});

describe('each text is printed by what is wrong, and the fix works', () => {
  it.for(tried)('$title', async (entry, context) => {
    const isOwn = blockOf(entry, 'start')?.includes('own.pem');
    needs(context, ...entry.needs, ...(isOwn ? (['openssl'] as const) : []));
    const shell = openShell();
    for (const { info, text } of blocksOf(DOCUMENT)) {
      const [, file] = /^\w+ (get\.\w+|Get\.java)$/.exec(info) ?? [];
      if (file !== undefined) writeFileSync(join(shell.folder, file), text);
    }
    if (isOwn) shell.run(OWN_CERTIFICATE);
    const first = await shell.start(blockOf(entry, 'start') ?? 'momo-mock');
    const output = run(shell, first, `(${blockOf(entry, 'wrong')}) || true`);
    const printed = entry.texts.filter((text) => output.includes(text));
    expect(printed, `${entry.title} is not in ${output}`).not.toEqual([]);
    const again = blockOf(entry, 'restart');
    const ready = again === undefined ? first : await shell.start(again);
    expect(run(shell, ready, blockOf(entry, 'fixed') ?? 'false')).toMatch(/"success": ?true|200\n/);
  });
});
