// Starts and closes mocks and bare servers in this process, in turn, and writes as JSON what each
// took, in ms. Arguments: momo-mock's entry, certificate, key, how often, and who.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';

const [library, certFile, keyFile, times, ...who] = process.argv.slice(2);
const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };

/** What is started and closed, for each side; made ready before it is measured. */
const SIDES = {
  bare: async () => async () => {
    const server = createServer(tls).listen(0, 'localhost');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  },
  'momo-mock': async () => {
    const { startMomoMock } = await import(pathToFileURL(library).href);
    return async () => await (await startMomoMock()).close();
  },
};

const runs = {};
for (const name of who) runs[name] = { run: await SIDES[name](), took: [] };
for (let i = 0; i < Number(times); i++) {
  for (const { run, took } of Object.values(runs)) {
    const cpu = process.cpuUsage();
    const began = performance.now();
    await run();
    const value = performance.now() - began;
    const { user, system } = process.cpuUsage(cpu);
    took.push({ value, cpu: (user + system) / 1000 });
  }
}
const took = Object.entries(runs).map(([name, run]) => [name, run.took]);
process.stdout.write(JSON.stringify(Object.fromEntries(took)));
