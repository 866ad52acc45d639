import { TARGET } from '../sides.mjs';
import { fetchPeer } from './fetch.mjs';
import { jsonServer } from './json-server.mjs';
import { mockoon } from './mockoon.mjs';
import { mockttp } from './mockttp.mjs';
import { mountebank } from './mountebank.mjs';
import { wiremock } from './wiremock.mjs';

/**
 * What momo-mock is measured beside. Each has its name on npm and its version, says `how` it runs
 * where that is not as the others do, and gives the command that starts it; `prepare` makes once
 * what the command needs.
 */
const PEERS = [mockoon, mockttp, wiremock, mountebank, jsonServer];

/**
 * Fetches and prepares all peers.
 *
 * @returns those that can be started, and why the others cannot
 */
export async function peerSides(workshop, note) {
  const peers = [];
  const peersNotRun = {};
  for (const peer of PEERS) {
    note(`fetching ${peer.name} ${peer.version}`);
    try {
      peers.push(await sideOf(peer, workshop));
    } catch (error) {
      peersNotRun[peer.name] = error.message;
    }
  }
  return { peers, peersNotRun };
}

async function sideOf({ name, version, how, prepare, command }, workshop) {
  const folder = await fetchPeer({ name, version });
  const given = { ...workshop, folder };
  const prepared = await prepare?.({ ...given, cwd: workshop.newFolder() });
  return {
    name,
    version,
    how,
    folder,
    command: async ({ port }) => {
      const cwd = workshop.newFolder();
      const started = await command({ ...given, ...prepared, port, cwd });
      return { cwd, targets: [TARGET], ...started };
    },
  };
}
