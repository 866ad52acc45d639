import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT, readDocument } from '../docs/documents.ts';

/** What a YAML file holds, as far as it is no business of a schema. */
// biome-ignore lint/suspicious/noExplicitAny: what is in it is checked by the schema of its kind.
export type Written = any;

/** The paths of the files for a CI that end so. */
export function ciFiles(end: RegExp, folder = 'examples/ci'): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => end.test(name))
    .map((name) => `${folder}/${name}`);
}

/** The documents of a YAML file. */
export function readYaml(path: string): Written[] {
  return parseYaml(readDocument(path));
}

/** The documents of a YAML text; throws where it is none. */
export function parseYaml(text: string): Written[] {
  return parseAllDocuments(text).map((document) => {
    for (const error of document.errors) throw error;
    return document.toJS();
  });
}
