import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readDocument } from './documents.ts';
import { lowerFirst, prose } from './markdown.ts';

const FOLDER = 'presets/chipdeals/fixtures';

/** The codes that a transaction of the preset can end with, and their messages. */
export function presetEnds(): [code: string, meaning: string][] {
  const source = readDocument(`${FOLDER}/_transactions.js`);
  return [...source.matchAll(/^ {2}(\d{3}): (['"])(.+)\.\2,$/gm)]
    .map(([, end = '', , text = '']): [string, string] => [end, lowerFirst(text)])
    .filter(([end]) => end === '200' || end >= '400');
}

/** The codes that the preset refuses requests with, and their messages. */
export function presetErrors(): [code: string, meaning: string][] {
  const files = readdirSync(join(ROOT, FOLDER), { recursive: true }).map(String);
  const code = files
    .filter((file) => file.endsWith('.js'))
    .map((file) => readDocument(`${FOLDER}/${file}`))
    .join('\n');
  const stated = code.matchAll(/'(\d{3}-\d{3})', '(\D[^']+)\.'/g);
  const names = code.matchAll(/\['(\w+)', '([\d-]+)', '([\d-]+)'\]/g);
  const phones = code.matchAll(
    /(\w+): \{ missing: '(.+)', invalid: '(.+)', operator: '(.+)', country: '(.+)' \}/g,
  );
  const found = [
    ...[...stated].map(([, error, text]) => [error, text]),
    ...[...names].flatMap(([, name, missing, invalid]) => [
      [missing, `${name} is missing`],
      [invalid, `${name} is not correct`],
    ]),
    ...[...phones].flatMap(([, party, missing, invalid, operator, country]) => [
      [missing, `${party}PhoneNumber is missing`],
      [invalid, `${party}PhoneNumber is not correct`],
      [operator, `the operator of ${party}PhoneNumber is not supported`],
      [country, `the country of ${party}PhoneNumber is not supported`],
    ]),
  ];
  const texts = new Map<string, Set<string>>();
  for (const [error = '', text = ''] of found) {
    texts.set(error, (texts.get(error) ?? new Set()).add(lowerFirst(text)));
  }
  return [...texts].sort().map(([error, all]) => [error, prose([...all].join('; '))]);
}
