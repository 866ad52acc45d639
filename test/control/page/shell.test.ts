import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { curlLine, quoted } from '../../../src/control/page/shell.ts';
import { runs } from '../../endurance/scale.ts';

/** The words that a shell makes of a line. */
function wordsOf(line: string): string[] {
  const script = `for word in ${line}; do printf '%s\\0' "$word"; done`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

const URL = 'http://localhost:8480';

describe('a quoted word', () => {
  it.each([
    ['plain', "it's", '$(touch x) `id` $HOME', 'a\nb\n', '\ttab', '"', '\\', '', '*', '~', '#'],
    // A terminal acts on control characters when they are pasted.
    ['\u001b[201~', '\u0007bell 100% \\n', 'esc\u001b\n\n', '\u0085', 'ü\u0001ü', '‮abc'],
  ])('is the same word in a shell', (...texts) => {
    expect(wordsOf(texts.map(quoted).join(' '))).toEqual(texts);
  });

  it('is the same word in a shell, whatever it is', () => {
    const letter = fc.oneof(fc.constantFrom(...'\'"\\$`%!\n\r\t\u001b\u007f'), fc.string());
    const text = fc.array(letter).map((letters) => letters.join('').replace(/\0|\p{Cs}/gu, ''));
    const check = (texts: string[]) => {
      expect(wordsOf(texts.map(quoted).join(' '))).toEqual(texts);
    };
    fc.assert(fc.property(fc.array(text, { minLength: 20, maxLength: 60 }), check), runs(1000, 20));
  });

  it('has no control characters but tab and line feed', () => {
    const line = quoted(String.fromCharCode(...Array.from({ length: 160 }, (_, code) => code + 1)));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(line).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  });
});

describe('a line with curl', () => {
  it.each([
    ['GET', { method: 'GET', url: URL }, `curl ${URL}`],
    ['POST of a body', { method: 'POST', url: URL, body: '{}' }, `curl ${URL} -d '{}'`],
    ['GET of a body', { method: 'GET', url: URL, body: 'a' }, `curl -X GET ${URL} -d a`],
    ['POST of none', { method: 'POST', url: URL }, `curl -X POST ${URL}`],
    // curl -X HEAD waits for a body that never comes.
    ['HEAD', { method: 'HEAD', url: URL }, `curl --head ${URL}`],
    ['options', { method: 'GET', url: URL, options: ['-s'] }, `curl -s ${URL}`],
    ['a header', { method: 'GET', url: URL, headers: [['a', 'b c']] }, `curl ${URL} -H 'a: b c'`],
    ['an empty one', { method: 'GET', url: URL, headers: [['a', '']] }, `curl ${URL} -H 'a;'`],
    ['a raw one', { method: 'GET', url: URL, rawHeaders: ['"a: $B"'] }, `curl ${URL} -H "a: $B"`],
    // -d @name would send a file.
    ['@', { method: 'POST', url: URL, body: '@a' }, `curl ${URL} --data-raw @a`],
    ['brackets', { method: 'GET', url: `${URL}/[1-9]` }, `curl --globoff '${URL}/[1-9]'`],
    ['dots', { method: 'GET', url: `${URL}/../a` }, `curl --path-as-is ${URL}/../a`],
  ] as const)('has %s', (_what, request, line) => {
    expect(curlLine(request)).toBe(line);
  });
});
