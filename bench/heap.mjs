// What the memory of a server consists of, after few requests and after many.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from './server.mjs';
import { withFlags } from './sides.mjs';
import { NO_LOAD } from './sizes.mjs';
import { ROOT } from './workshop.mjs';

/** What V8 calls the parts of its heap that grow, and what they hold. */
const SPACES = {
  new_space: 'V8: young objects, and room for as many',
  old_space: 'V8: old objects',
  code_space: 'V8: compiled code',
  large_object_space: 'V8: large objects',
};
const MB = 1024 * 1024;
const DEADLINE = 10_000;

/** Waits until a file is there, and takes it. */
async function taken(file) {
  for (const end = Date.now() + DEADLINE; ; ) {
    try {
      const text = readFileSync(file, 'utf8');
      rmSync(file);
      return JSON.parse(text);
    } catch (error) {
      if (error.code !== 'ENOENT' || Date.now() > end) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

/** Memory in MB by what it is for. */
function byPurpose({ all, ...spaces }) {
  const known = Object.entries(SPACES).map(([space, name]) => [name, spaces[space] / MB]);
  const rest = known.reduce((left, [, size]) => left - size, all / MB);
  return Object.fromEntries([...known, ['the process itself, TLS and buffers', rest]]);
}

/** @returns by a text such as `bare, 10,000 requests`, how many MB are for what */
export async function memoryByPurpose(sides, counts, workshop) {
  const spent = {};
  for (const side of sides) {
    const file = join(workshop.newFolder(), 'heap.json');
    const watching = ['--require', join(ROOT, 'bench/heap-on-signal.cjs')];
    const server = await startServer(withFlags(side, watching, { BENCH_HEAP_FILE: file }));
    let sofar = 0;
    for (const count of counts) {
      const job = { count: count - sofar, seconds: 300, warmUp: NO_LOAD };
      const { answered } = await server.load('kept-alive', job);
      sofar += answered;
      server.signal('SIGUSR2');
      const name = `${side.name}, ${sofar.toLocaleString('en')} requests`;
      spent[name] = byPurpose(await taken(file));
    }
    await server.stop();
  }
  return spent;
}
