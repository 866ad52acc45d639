import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** What people read or import: code, pages, examples and presets. */
const SHOWN = ['src', 'docs', 'examples', 'presets', 'fixtures'];
const SHOWN_FILES = ['README.md', 'llms.txt', 'SECURITY.md'];

/** What package managers and pytest write into an example. */
const WRITTEN = /(^|\/)(node_modules|__pycache__|\.pytest_cache|package-lock\.json)(\/|$)/;

/** One idea has one name: these names were replaced, and CHANGELOG.md says by what. */
const REPLACED: readonly { readonly name: string; readonly old: RegExp; readonly but?: RegExp }[] =
  [
    {
      name: 'callback, for a webhook',
      old: /callback/i,
      // Functions that JavaScript calls back, and what APIs of providers have in names.
      but: /call[Bb]ack[-_ ]?(url|URL|Url|host|Host)|Call[Bb]ack[- ]?(URL|Url|Host)|CALLBACK_URL|MTN calls it a callback|stkCallback|CallbackMetadata|^src\/timers\.ts|^src\/webhook\/allowed-hosts\.ts|callback: \(\) => unknown|after\(ms, callback\)|\b(typeof callback|, callback, options)\b/,
    },
    {
      name: 'apikey, for a member',
      old: /\.apikey\b|"apikey"\s*:|\{apikey\}|\bAccount\(\{ apikey\b/,
      // The query parameter and the header have this name.
      but: /(headers|params)=|"?key(\.query)?"?`? ?(is|:)|urlopen\(/,
    },
    {
      name: 'balance variant, for the setting',
      old: /BALANCE_VARIANT|balance-variant|balanceVariant/,
    },
    { name: 'JournalEntry', old: /\bJournalEntry\b/ },
    { name: 'verifyScripts', old: /verifyScripts|verify\/scripts/ },
    { name: 'freeze(false)', old: /\bfreeze\(false\)/ },
    { name: 'override, as a source', old: /source[^\n]{0,40}['"`]override\b/ },
    { name: 'override, for what was set', old: /\b(balance|variant|limit) override\b(?! the)/ },
    { name: 'connect, for undici', old: /(mock|momo|account)\.connect\b/ },
    {
      name: 'the service, for all accounts',
      old: /whole service|service's (clock|state|balance|value|variant|script)/,
    },
  ];

/** Not from git, because a tarball of the repository has no .git. */
const FILES = SHOWN.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
).filter(
  (path) =>
    /\.(ts|tsx|cts|cjs|mjs|js|md|txt|json|yml|conf|py|php|rb|go|java|sh|html|css)$/.test(path) &&
    !WRITTEN.test(path),
);

const LINES = [...FILES, ...SHOWN_FILES].flatMap((path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .map((text, index) => `${path}:${index + 1}: ${text}`),
);

it.each(REPLACED)('no page, message or code says $name', ({ old, but }) => {
  expect(LINES.filter((line) => old.test(line) && but?.test(line) !== true)).toEqual([]);
});
