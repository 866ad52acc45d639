// Writes the licences of the bundled libraries, which must be distributed with them, and a bill of
// materials (SBOM) for audits, because package.json names no dependencies.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the licences and the SBOM.
 *
 * @param files the bundled files
 * @param folder the folder to write to
 */
export function describeThirdParty(files, folder) {
  const packages = packagesOf(files);
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licences(packages));
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(billOf(packages), null, 1)}\n`);
}

/** The packages of the files, sorted by name. */
function packagesOf(files) {
  const folders = files.flatMap(
    (file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
  );
  const packages = [...new Set(folders)].map((path) => ({ path, ...manifestIn(path) }));
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function manifestIn(path) {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
}

function licences(packages) {
  const texts = packages.map(({ path, name, version, license }) => {
    if (license === undefined)
      throw new Error(`Failed to build: the package ${name} names no licence.`);
    const found = readdirSync(path).filter((file) => /^(licen[sc]e|notice|copying)/i.test(file));
    const text = found.map((file) => readFileSync(join(path, file), 'utf8').trim());
    return `${name} ${version} (${license})\n\n${text.join('\n\n') || 'The package does not include the text of its licence.'}\n`;
  });
  return `momo-mock includes these packages under their own licences.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** The SBOM in the format CycloneDX 1.6. */
function billOf(packages) {
  const component = (type, { name, version }) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type, name, version, purl };
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', manifestIn('.')) },
    components: packages.map((part) => ({
      ...component('library', part),
      licenses: [{ license: { id: part.license } }],
    })),
  };
}
