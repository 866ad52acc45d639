import { isDeepStrictEqual } from 'node:util';
import { describeSchema, NO_MEMBER } from './finding.ts';
import { memberPath } from './places.ts';
import type { Shape } from './shape.ts';

/**
 * How a schema differs from another one, as lines of paths and types. Empty if they are equal.
 *
 * @param before a schema that a person may have written
 */
export function differences(before: unknown, after: Shape): readonly string[] {
  const [old, current] = [new Map(places(before, '', '')), new Map(places(after, '', ''))];
  const lines = [...new Set([...old.keys(), ...current.keys()])].flatMap((path) => {
    const [was, is] = [old, current].map((all) => all.get(path) ?? NO_MEMBER);
    return was === is ? [] : [`${path || 'body'}: was ${was}, is ${is}`];
  });
  const [rules, others] = [before, after].map((schema) => ({ ...(schema as Shape), $schema: '' }));
  if (lines.length > 0 || isDeepStrictEqual(rules, others)) return lines;
  return ['body: had rules other than types and formats'];
}

/** Each place in a schema, with what it allows there. */
function* places(schema: unknown, path: string, note: string): Generator<[string, string]> {
  if (typeof schema !== 'object' || schema === null) return;
  yield [path, `${describeSchema(schema) ?? 'any value'}${note}`];
  const { properties = {}, required = [], additionalProperties, items } = schema as Shape;
  for (const [name, member] of Object.entries(properties)) {
    yield* places(member, memberPath(path, name), required.includes(name) ? '' : ', optional');
  }
  yield* places(additionalProperties, memberPath(path, '*'), '');
  yield* places(items, `${path}[]`, '');
}

/** The lists of a shape whose elements are unknown, since all of them were empty. */
export function unknownElements(shape: Shape, path = ''): readonly string[] {
  const { type, properties = {}, additionalProperties: map, items } = shape;
  const isList = [type].flat().includes('array');
  return [
    ...(isList && !items ? [`${path}[]`] : []),
    ...Object.entries(properties).flatMap(([name, one]) =>
      unknownElements(one, memberPath(path, name)),
    ),
    ...(map ? unknownElements(map, memberPath(path, '*')) : []),
    ...(items ? unknownElements(items, `${path}[]`) : []),
  ];
}
