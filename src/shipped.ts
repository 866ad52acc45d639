import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const shippedFixtures = fileURLToPath(new URL('../fixtures', import.meta.url));

export const presetsFolder = fileURLToPath(new URL('../presets', import.meta.url));

// The build creates these folders.
export const pageFolder = fileURLToPath(new URL('../dist/page', import.meta.url));

/** JSON Schemas for editors. */
export const schemasFolder = fileURLToPath(new URL('../dist/schemas', import.meta.url));

export const programFolder = fileURLToPath(new URL('../dist', import.meta.url));

let packageVersion: string | undefined;

export function version(): string {
  const manifest = new URL('../package.json', import.meta.url);
  packageVersion ??= `${JSON.parse(readFileSync(manifest, 'utf8')).version}`;
  return packageVersion;
}
