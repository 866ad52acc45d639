// Starts and closes a bare server and a mock in turn in one process, and writes what the hundredth
// time took, in ms, as JSON: `in-process.mjs LIBRARY CERT KEY`.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { median } from './figures.mjs';

const [library, cert, key] = process.argv.slice(2);
const tls = { cert: readFileSync(cert), key: readFileSync(key) };
const { startMomoMock } = await import(pathToFileURL(library).href);

const SIDES = {
  bare: async () => {
    const server = createServer(tls).listen(0, 'localhost');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  },
  'momo-mock': async () => await (await startMomoMock()).close(),
};

const took = { bare: { ms: [], cpu: [] }, 'momo-mock': { ms: [], cpu: [] } };
for (let i = 0; i < 110; i++) {
  for (const [name, startAndClose] of Object.entries(SIDES)) {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    await startAndClose();
    const { user, system } = process.cpuUsage(cpu);
    took[name].ms.push(performance.now() - began);
    took[name].cpu.push((user + system) / 1000);
  }
}

/** The hundredth time is the median of the 91st to the 110th. */
const hundredth = (_, value) => (Array.isArray(value) ? median(value.slice(90)) : value);
process.stdout.write(JSON.stringify(took, hundredth));
