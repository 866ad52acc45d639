import { lookup } from 'node:dns/promises';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BARE_SERVER = fileURLToPath(new URL('bare-server.cjs', import.meta.url));

/** The name of what all is compared with. */
export const BARE = 'bare';
export const MOMO_MOCK = 'momo-mock';
export const TARGET = '/momo/balance?apikey=momo_test_key';

/** The bare server, and momo-mock as it is shipped: journal on, log at its default level. */
export async function ownSides(workshop) {
  const { address } = await lookup('localhost');
  return [bareSide(workshop, address), momoMockSide(workshop, address)];
}

/** A side whose program Node runs with more flags, and with more in its environment. */
export function withFlags(side, flags, env = {}) {
  return {
    ...side,
    command: async (options) => {
      const given = await side.command(options);
      return { ...given, env: { ...given.env, ...env }, args: [...flags, ...given.args] };
    },
  };
}

function bareSide({ cert, key, answer, newFolder }, address) {
  return {
    name: BARE,
    own: true,
    address,
    command: ({ port }) => ({
      command: process.execPath,
      args: [BARE_SERVER, port, cert, key, answer],
      cwd: newFolder(),
      ca: cert,
      targets: [TARGET],
    }),
  };
}

/**
 * `firstStart`: without certificate and compiled code. `settings`: flags besides. `targets`: what
 * is asked for, in turn. `workshop`: where another program is taken from.
 */
function momoMockSide(workshop, address) {
  return {
    name: MOMO_MOCK,
    own: true,
    address,
    command: ({ port, firstStart = false, settings = [], targets = [TARGET], ...given }) => {
      const { cli, cert, certs, compiled, newFolder } = given.workshop ?? workshop;
      const cwd = newFolder();
      if (firstStart) rmSync(compiled, { recursive: true, force: true });
      const folder = firstStart ? join(cwd, 'certs') : certs;
      const flags = ['--port', port, '--control-port', '0', '--certs-dir', folder, ...settings];
      return {
        command: process.execPath,
        args: [cli, ...flags],
        cwd,
        ca: firstStart ? join(folder, 'momo-mock.pem') : cert,
        targets,
      };
    },
  };
}
