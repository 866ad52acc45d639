import { readSources } from '../architecture/sources.ts';
import { readDocument } from './documents.ts';

/** A property or method of an interface of the sources. */
export interface Member {
  readonly name: string;
  /** The name as it is called, such as `verify(expected, options)`. */
  readonly call: string;
  /** The first sentence of its comment. */
  readonly summary: string;
  /** What its comment says after `@default`, or an empty text. */
  readonly fallback: string;
}

let read: readonly string[] | undefined;

function sourceTexts(): readonly string[] {
  read ??= readSources().map(({ path }) => readDocument(`src/${path}`));
  return read;
}

/** The types that the package exports, each with the first sentence of its comment. */
export function exportedTypes(): [name: string, summary: string][] {
  const index = readDocument('src/index.ts').replaceAll(/'[^']*'/g, '');
  const names = [...index.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name);
  return names.sort().map((name) => {
    const declared = new RegExp(
      `/\\*\\*((?:(?!\\*/).)*)\\*/\\n(?: *//[^\\n]*\\n)?export (?:interface|type|class) ${name}\\b`,
      's',
    );
    const [about] = sourceTexts().flatMap((text) => declared.exec(text)?.[1] ?? []);
    if (about === undefined) throw new Error(`no comment above ${name}`);
    return [name, firstSentence(wordsOf(about))];
  });
}

/** The members of an interface, without those of what it extends: of overloads, the first. */
export function membersOf(name: string): Member[] {
  const declared = new RegExp(`^export interface ${name}\\b.*?\\{\\n(.*?)^\\}`, 'ms');
  const bodies = sourceTexts().flatMap((text) => declared.exec(text)?.[1] ?? []);
  if (bodies.length !== 1) throw new Error(`${bodies.length} interfaces are ${name}`);
  const found = (bodies[0] ?? '').matchAll(
    /(?:^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n)?(?:^ {2}\/\/[^\n]*\n)?^ {2}(?:readonly )?(\w+)\??(?:<[^>]+>)?([:(])/gms,
  );
  const members = [...found].map(({ 0: all, 1: comment = '', 2: member = '', 3: sign, index }) => {
    const [about = '', ...tags] = wordsOf(comment).split(/(?:^| )(?=@\w)/);
    const after = (bodies[0] ?? '').slice(index + all.length);
    return {
      name: member,
      call: sign === '(' ? `${member}(${parametersIn(after).join(', ')})` : member,
      summary: firstSentence(about),
      fallback: tags.find((tag) => tag.startsWith('@default'))?.slice('@default '.length) ?? '',
    };
  });
  const first = (name: string) => members.findIndex((member) => member.name === name);
  return members.filter((member, index) => first(member.name) === index);
}

/** The text of a comment in one line, with links as code. */
function wordsOf(comment: string): string {
  return comment
    .replaceAll(/^ *\*/gm, '')
    .replaceAll(/\{@link (?:\w+\.)?(\w+)\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function firstSentence(text: string): string {
  const [first = ''] = text.split(/(?<=\.) (?=[A-Z`])/);
  return first.trim().replace(/\.$/, '');
}

/** The names of the parameters that a text begins with, up to the bracket that closes them. */
function parametersIn(text: string): string[] {
  let depth = 1;
  let own = '';
  for (const char of text.replaceAll('=>', '')) {
    if (/[([{<]/.test(char)) depth++;
    if (/[)\]}>]/.test(char)) depth--;
    if (depth === 0) break;
    if (depth === 1) own += char;
  }
  return [...own.matchAll(/(?:^|,)\s*(\w+)\??:/g)].map(([, name = '']) => name);
}
