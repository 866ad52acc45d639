// Says whose work is in the bundle: the licences, which have to come with it, and a bill of
// materials (SBOM), by which an audit finds what a manifest without dependencies does not name.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param files what the bundle was made from
 * @param folder where to write
 */
export function describeThirdParty(files, folder) {
  const packages = packagesOf(files);
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licences(packages));
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(billOf(packages), null, 1)}\n`);
}

/** Every package that a file is of, sorted by name. */
function packagesOf(files) {
  const folders = new Set(
    files.filter((file) => file.includes('node_modules/')).map((file) => packageFolder(file)),
  );
  const packages = [...folders].map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    return { path, name, version, license };
  });
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Of the package itself: some have manifests in folders of theirs. */
function packageFolder(file) {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(file);
  return folder;
}

function licences(packages) {
  const texts = packages.map(({ path, name, version, license }) => {
    if (license === undefined) throw new Error(`Failed to build: ${name} names no licence.`);
    const found = readdirSync(path).filter((file) => /^(licen[sc]e|notice|copying)/i.test(file));
    const text = found.map((file) => readFileSync(join(path, file), 'utf8').trim());
    return `${name} ${version} (${license})\n\n${text.join('\n\n') || 'It comes without the text of its licence.'}\n`;
  });
  return `momo-mock holds these packages, each under its own licence.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** CycloneDX 1.6. */
function billOf(packages) {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', name, version, purl: `pkg:npm/${name}@${version}` },
    },
    components: packages.map((part) => ({
      type: 'library',
      name: part.name,
      version: part.version,
      purl: `pkg:npm/${part.name.replace('@', '%40')}@${part.version}`,
      licenses: [{ license: { id: part.license } }],
    })),
  };
}
