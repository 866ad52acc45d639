import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from '../children.mjs';

const SERVER = fileURLToPath(new URL('mockttp-server.cjs', import.meta.url));
const CA = `const { writeFileSync } = require('node:fs');
require('mockttp').generateCACertificate().then(({ key, cert }) => {
  writeFileSync(process.argv[1], cert);
  writeFileSync(process.argv[2], key);
});`;

export const mockttp = {
  name: 'mockttp',
  version: '4.6.5',
  how: 'with a certificate that it makes of a CA, which was made before',
  prepare: async ({ folder, cwd }) => {
    const [ca, caKey] = [join(cwd, 'ca.pem'), join(cwd, 'ca-key.pem')];
    await runChild(process.execPath, ['-e', CA, ca, caKey], { cwd: folder });
    return { ca, caKey };
  },
  command: ({ port, folder, answer, ca, caKey }) => ({
    command: process.execPath,
    args: [SERVER, folder, port, ca, caKey, answer],
    ca,
  }),
};
