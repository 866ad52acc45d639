import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMomoMock } from '../../dist/index.js';

/** How many requests run, or mocks are there, at once. */
const AT_ONCE = 20;

const warnings = [];
let mock;

process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`));

const TASKS = {
  start: async (options) => {
    mock = await startMomoMock(options);
    return mock.controlUrl;
  },
  close: async () => await mock.close(),
  reset: async () => await mock.reset(),
  use: async ({ accounts, requests }) => {
    const all = [];
    for (let of = 0; of < accounts; of++) {
      const account = await mock.createAccount({ balance: { of } });
      await account.respondWith({ status: 503, body: { of } });
      all.push(account);
    }
    await often(requests, (left) => ask(all[left % accounts], `/momo/balance?left=${left}`));
  },
  // Mocks that are used, and then closed; `ports` are those that are taken now.
  cycle: async (count) => {
    const ports = new Set();
    await often(count, async (left) => {
      const one = await startMomoMock({ control: left % 2 === 0 });
      const of = one.url;
      if (ports.has(of)) throw new Error(`${of} is there twice`);
      ports.add(of);
      const body = await ask(await one.createAccount({ balance: { of } }), '/momo/balance');
      if (body !== JSON.stringify({ of })) throw new Error(`${body} from ${of}`);
      ports.delete(of);
      await one.close();
    });
  },
  measure: async () => {
    // Memory that handles hold is free only some turns after they are closed.
    for (let turn = 0; turn < 10; turn++) {
      await sleep(20);
      globalThis.gc();
    }
    return {
      heap: process.memoryUsage().heapUsed,
      resources: process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap'),
      descriptors: readdirSync('/dev/fd').length,
      warnings,
    };
  },
};

process.on('message', async ({ task, input }) => {
  try {
    process.send({ result: await TASKS[task](input) });
  } catch (error) {
    process.send({ error: error.stack });
  }
});

/** Does something a number of times, some at once. */
async function often(count, act) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await act(left);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function ask({ url, agent, apiKey }, path) {
  const target = new URL(path, url);
  target.searchParams.append('apikey', apiKey);
  const [incoming] = await once(request(target, { agent }).end(), 'response');
  if (incoming.statusCode === 401) throw new Error('the key is wrong');
  return await text(incoming);
}
