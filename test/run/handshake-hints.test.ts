import { expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { needs } from '../support/machine.ts';
import { CERTIFICATE } from '../support/real-service.ts';
import { runHere } from './node-command.ts';

const REFUSED = /^momo-mock: tls-handshake: The client refused the certificate\. .+$/m;
const CLOSED =
  /^momo-mock: tls-handshake: The client closed the connection .+ did not say why\. .+$/m;
/** What is true for a client that run did not start: such a file and unset variables. */
const ELSEWHERE = /certs\/momo-mock|NODE_EXTRA_CA_CERTS/;

/** Leaves in the middle of the handshake, when the first secret of the connection is there. */
const GIVE_UP = `const giveUp = () => new Promise((done) => {
    const { hostname: host, port } = new URL(env.MOMO_MOCK_URL);
    const socket = require('node:tls').connect({ host, port, servername: host });
    socket.once('keylog', () => socket.destroy()).once('close', done).on('error', () => {});
  });`;

it('the hint of run for a client that refuses the certificate names what such a client does', async (context) => {
  needs(context, 'curl');
  const curl = `curl -s --cacert '${CERTIFICATE}' "$MOMO_MOCK_URL"`;
  // This run creates another certificate.
  const env = { MOMO_MOCK_CERTS_DIR: '' };
  const { stderr } = await runCommand(['run', '--', 'sh', '-c', curl], { env });
  expect(stderr).toMatch(REFUSED);
  expect(stderr).toMatch(/verify=.+Session\.send\(\).+ Give it the file in SSL_CERT_FILE\. /);
  expect(stderr).not.toMatch(ELSEWHERE);
});

it('the hint of run for a client that gives up a handshake does not say that it lacks trust', async () => {
  const { stderr } = await runHere(`${GIVE_UP} await giveUp(); say((await ask()).status)`);
  expect(stderr).toContain('momo-mock: 1 request: 1 × 200, 1 × tls-handshake\n');
  expect(stderr).toMatch(CLOSED);
  expect(stderr).toContain('nothing is wrong');
  expect(stderr).not.toMatch(ELSEWHERE);
});

it('run shows both hints if some clients gave up, and one refused the certificate', async (context) => {
  needs(context, 'curl');
  const curl = `require('node:child_process').spawnSync('curl', ['--cacert', '${CERTIFICATE}', env.MOMO_MOCK_URL]);`;
  const script = `${GIVE_UP} await giveUp(); await giveUp(); ${curl}`;
  const { stderr } = await runHere(script, [], { env: { MOMO_MOCK_CERTS_DIR: '' } });
  const lines = stderr.split('\n');
  expect(lines).toEqual([
    'momo-mock: no requests: 3 × tls-handshake',
    expect.stringMatching(CLOSED),
    expect.stringMatching(REFUSED),
    '',
  ]);
});
