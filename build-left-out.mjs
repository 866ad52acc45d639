// What the mock has no use for is left out of the libraries in the bundle, where it would be loaded,
// with modules of Node's own, at each start or wherever a certificate is made.
import { readFileSync } from 'node:fs';

/** The module of a library that stands for all of it. */
const peculiar = (name) =>
  new RegExp(`[\\\\/]@peculiar[\\\\/]asn1-${name}[\\\\/]build[\\\\/]es2015[\\\\/]index\\.js$`);

const only =
  (...modules) =>
  () =>
    modules.map((module) => `export * from './${module}';`).join('\n');

/** Parts of libraries, by the end of their path, and what becomes of their text. */
const ALTERED = [
  {
    // Transports, which log from another thread.
    file: /[\\/]pino[\\/]lib[\\/]transport\.js$/,
    alter: () =>
      `module.exports = () => { throw new Error('Failed to log: there are no transports here.'); };`,
  },
  {
    // The module is for one check of what pino hands over.
    file: /[\\/]sonic-boom[\\/]index\.js$/,
    alter: (text) =>
      text.replace(`require('assert')`, '(ok, text) => { if (!ok) throw new Error(text); }'),
  },
  {
    // It parses and verifies what it has just made; momo-mock parses that itself.
    file: /[\\/]selfsigned[\\/]index\.js$/,
    alter: (text) => text.replace(/\/\/ Verify certificate chain.*?(?=return pem;)/s, ''),
  },
  // What @peculiar/x509 has these for: certificate requests, PKCS #7, #9 and #12, and RSA-PSS. The
  // names that it reads when it is loaded stay.
  { file: peculiar('csr'), alter: () => 'module.exports = {};' },
  { file: peculiar('cms'), alter: only('object_identifiers') },
  { file: peculiar('rsa'), alter: only('object_identifiers', 'rsa_public_key') },
  {
    file: peculiar('pkcs9'),
    alter: (text) =>
      text.match(/^export const id_pkcs9(_at_(challenge|extensionR)\w+)? = .*;$/gm).join('\n'),
  },
];

/** A plugin of esbuild. */
export const leftOut = {
  name: 'left-out',
  setup({ onLoad }) {
    for (const { file, alter } of ALTERED) {
      onLoad({ filter: file }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const contents = alter(text);
        if (contents === text) throw new Error(`Failed to build: ${path} is not what it was.`);
        return { contents };
      });
    }
  },
};
