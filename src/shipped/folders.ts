import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the package: two levels up from this file, or one level up from the bundle. */
const root = ['../', '../../']
  .map((path) => new URL(path, import.meta.url))
  .find((folder) => existsSync(new URL('package.json', folder)));

const inPackage = (path: string): string => fileURLToPath(new URL(path, root));

export const shippedFixtures = inPackage('fixtures');

export const presetsFolder = inPackage('presets');

// The build creates these folders.
export const pageFolder = inPackage('dist/page');

export const schemasFolder = inPackage('dist/schemas');

export const programFolder = inPackage('dist');

let packageVersion: string | undefined;

export function version(): string {
  packageVersion ??= `${JSON.parse(readFileSync(inPackage('package.json'), 'utf8')).version}`;
  return packageVersion;
}
