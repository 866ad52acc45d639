import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Command, needs } from '../support/machine.ts';
import { HINTS } from '../support/program.ts';
import { QUICK_JAVA } from '../support/quick-java.ts';
import { type Block, blocksOf, readDocument, rowsBelow } from './documents.ts';
import { shareMock } from './shared-mock.ts';
import { openShell, type Ready, type Shell } from './shell.ts';
import { ALSO, OTHER_VERSIONS, PROGRAMS } from './troubleshooting-clients.ts';

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

/** The texts that clients print of a fault, and its name. */
const BY_FAULT = rowsBelow(DOCUMENT, 'The response breaks off').flatMap(
  ([texts = '', cell = '']) => {
    const fault = /`(\w+)`/.exec(cell)?.[1] ?? '';
    return [...texts.matchAll(/`([^`]+)`/g)].map(([, text = '']) => ({ text, fault }));
  },
);

/** The texts with spaces that prose has in backticks, but for commands. */
function quotedIn(prose: string): string[] {
  const code = [...prose.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`]+)`/g)];
  const texts = code.map(([, text = '']) => text);
  return texts.filter((text) => / /.test(text) && !/^(?:curl|php|certutil|momo-mock|-)/.test(text));
}

/** What the page calls a client. */
const NAMES: Readonly<Record<string, string>> = {
  node: 'Node',
  curl: 'curl',
  python3: 'Python',
  ruby: 'Ruby',
  php: 'PHP',
  go: 'Go',
  java: 'Java',
};

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
    JAVA_TOOL_OPTIONS: QUICK_JAVA.join(' '),
  };
  return shell.run(`set -e\nexec 2>&1\n${at(ready, lines)}`, env);
}

/** A certificate that a CA of the user's own has signed. */
const OWN_CERTIFICATE = `
exec 2>&1; set -e
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca-key.pem -out ca.pem -days 2 -subj /CN=ca
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout own-key.pem -out own.csr -subj /CN=own
printf 'subjectAltName=DNS:localhost\\n' > own.ext
openssl x509 -req -in own.csr -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 2 -out own.pem -extfile own.ext
`;

describe('docs/troubleshooting.md', () => {
  it('shows only blocks that this test runs, or marks the others', () => {
    expect(tried.length).toBeGreaterThan(12);
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

  it('has only quoted texts as titles', () => {
    for (const { title } of ENTRIES) expect(title).toMatch(/^`[^`]+`(?:, `[^`]+`)*$/);
  });

  it('quotes exactly the texts that the tests know', () => {
    const [titles, proses] = [tried.flatMap(({ texts }) => texts), tried.map(({ prose }) => prose)];
    const quoted = [...titles, ...proses.flatMap(quotedIn), ...BY_FAULT.map(({ text }) => text)];
    const known = [...Object.keys(ALSO), ...OTHER_VERSIONS];
    expect(known.filter((text) => !quoted.includes(text))).toEqual([]);
    expect(proses.flatMap(quotedIn).filter((text) => !known.includes(text))).toEqual([]);
  });

  it('names every reason for which a key is refused', () => {
    const named = DOCUMENT.match(/(?<=`)key-[a-z-]+(?=`)/g) ?? [];
    expect([...named].sort()).toEqual(
      Object.keys(HINTS)
        .filter((reason) => reason.startsWith('key-'))
        .sort(),
    );
  });

  it('never shows how to switch the certificate check off', () => {
    expect(DOCUMENT).not.toMatch(/ -k |--insecure|REJECT_UNAUTHORIZED|verify=False|VERIFY_NONE/);
  });
});

describe('the mistake prints its text, and the fix works:', () => {
  const share = shareMock('momo-mock');

  it.for(tried)('$title', async (entry, context) => {
    const isOwn = blockOf(entry, 'start')?.includes('own.pem');
    needs(context, ...entry.needs, ...(isOwn ? (['openssl'] as const) : []));
    const shell = openShellWithClients();
    if (isOwn) shell.run(OWN_CERTIFICATE);
    const start = blockOf(entry, 'start');
    const again = blockOf(entry, 'restart');
    const isShared = start === undefined && again === undefined;
    const first = isShared ? await share() : await shell.start(start ?? 'momo-mock');
    const wrong = blockOf(entry, 'wrong') ?? '';
    const output = run(shell, first, `(${wrong}) || echo "exits with $?"`);
    const own = entry.texts.filter((text) => !(text in ALSO) && !OTHER_VERSIONS.includes(text));
    const exits = entry.prose.match(/exits with \d+/g) ?? [];
    for (const text of [...own, ...exits]) expect(output).toContain(text);
    expect([...own, ...entry.texts.filter((text) => text in ALSO)]).not.toEqual([]);
    await checkProse(entry, wrong, first);
    const ready = again === undefined ? first : await shell.start(again);
    expect(run(shell, ready, blockOf(entry, 'fixed') ?? 'false')).toMatch(/"success": ?true|200\n/);
  });
});

/** Holds what an entry says of its client and of the status against what was done. */
async function checkProse({ prose }: Entry, wrong: string, ready: Ready): Promise<void> {
  const [text = ''] = prose.split('```');
  const first = Object.values(NAMES).find((name) => new RegExp(`^\\s*${name}\\b`).test(text));
  const used = Object.keys(NAMES).filter((client) => wrong.split(/\s+/).includes(client));
  if (first !== undefined) expect(used.map((client) => NAMES[client])).toContain(first);
  const statuses = text.match(/\b[45]\d\d\b(?=:| although)|(?<=status )\d{3}/g) ?? [];
  if (statuses.length === 0) return;
  const response = await fetch(`${ready.controlUrl}/requests`);
  const { requests } = (await response.json()) as { requests: { status: number }[] };
  expect(requests.map(({ status }) => String(status))).toEqual(expect.arrayContaining(statuses));
}

/** A shell in whose folder the clients of the page are. */
function openShellWithClients(): Shell {
  const shell = openShell();
  for (const [file, text] of Object.entries(PROGRAMS))
    writeFileSync(join(shell.folder, file), text);
  return shell;
}

describe('the text that another client prints', () => {
  const share = shareMock('momo-mock --host 0.0.0.0');

  it.for(Object.entries(ALSO))('%s', async ([text, lines], context) => {
    needs(context, ...CLIENTS.filter((client) => lines.split(/\s+/).includes(client)));
    const shell = openShellWithClients();
    const ready = await share();
    expect(run(shell, ready, `(${lines}) || true`)).toContain(text);
  });
});

describe('the text of a fault', () => {
  const share = shareMock('momo-mock');

  it.for(BY_FAULT)(
    '$text is printed for $fault until a reset',
    async ({ text, fault }, context) => {
      needs(context, 'curl');
      const lines = ALSO[text] ?? '';
      // The test above runs these lines.
      expect(lines).toContain(`{"fault":"${fault}"}`);
      const shell = openShellWithClients();
      const ready = await share();
      run(shell, ready, lines.split(';')[0] ?? '');
      const [reset = ''] = /curl -X POST \S+\/reset/.exec(DOCUMENT) ?? [];
      expect(run(shell, ready, `${reset}; curl --cacert certs/momo-mock.pem "$URL"`)).toContain(
        '"success": true',
      );
    },
  );

  it('exists for each fault that breaks off a response', () => {
    const faults = new Set(BY_FAULT.map(({ fault }) => fault));
    expect([...faults]).toEqual(['close', 'reset', 'truncate', 'hang']);
  });
});

describe('the TLS mode', () => {
  const share = shareMock('momo-mock');

  it.each([
    ['untrusted', 'self-signed certificate'],
    ['wrong-host', "Hostname/IP does not match certificate's altnames"],
    ['expired', 'certificate has expired'],
  ])('%s makes a client that trusts the mock print "%s", until a reset', async (mode, text) => {
    expect(DOCUMENT).toContain(`\`${mode}\``);
    expect(DOCUMENT).toContain(text);
    const shell = openShellWithClients();
    const ready = await share();
    const ask = 'NODE_EXTRA_CA_CERTS=certs/momo-mock.pem node get.mjs "$URL"';
    const set = await fetch(`${ready.controlUrl}/tls`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mode }),
    });
    expect(set.status).toBe(200);
    expect(run(shell, ready, `(${ask}) || true`)).toContain(text);
    await fetch(`${ready.controlUrl}/reset`, { method: 'POST' });
    expect(run(shell, ready, ask)).toBe('200\n');
  });
});
