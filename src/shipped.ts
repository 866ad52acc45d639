import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The path of the shipped fixtures. */
export const shippedFixtures = fileURLToPath(new URL('../fixtures', import.meta.url));

/** The path of the shipped presets: a folder each. */
export const presetsFolder = fileURLToPath(new URL('../presets', import.meta.url));

/** The path of the files of the live page, which the build makes. */
export const pageFolder = fileURLToPath(new URL('../dist/page', import.meta.url));

/** The path of the JSON Schemas for editors, which the build makes. */
export const schemasFolder = fileURLToPath(new URL('../dist/schemas', import.meta.url));

/** The path of the folder with the program, which the build makes. */
export const programFolder = fileURLToPath(new URL('../dist', import.meta.url));

let known: string | undefined;

/** The version of the package. */
export function version(): string {
  const manifest = new URL('../package.json', import.meta.url);
  known ??= `${JSON.parse(readFileSync(manifest, 'utf8')).version}`;
  return known;
}
