import { readdirSync } from 'node:fs';
import { get } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMomoMock } from '../../dist/index.js';

/** How many mocks are there at once. */
const AT_ONCE = 20;

const warnings = [];
let mock;

process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`));

const TASKS = {
  start: async (options) => {
    mock = await startMomoMock(options);
    const { url, ca, apikey, controlUrl } = mock;
    return { url, ca, apikey, controlUrl };
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
    let left = requests;
    const worker = async () => {
      while (left-- > 0) {
        const { apikey } = all[left % all.length];
        await ask(`${mock.url}/momo/balance?apikey=${apikey}&left=${left}`, mock.agent);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  },
  cycle: async (count) => {
    let left = count;
    const ports = new Set();
    const worker = async () => {
      while (left-- > 0) await startAndClose(left % 2 === 0, ports);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
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

/** One mock that is used, and then closed; `ports` are those that are taken now. */
async function startAndClose(control, ports) {
  const one = await startMomoMock({ control });
  if (ports.has(one.url)) throw new Error(`${one.url} is there twice`);
  ports.add(one.url);
  const { apikey } = await one.createAccount({ balance: { of: one.url } });
  const answer = await ask(`${one.url}/momo/balance?apikey=${apikey}`, one.agent);
  if (answer !== JSON.stringify({ of: one.url })) throw new Error(`${answer} from ${one.url}`);
  ports.delete(one.url);
  await one.close();
}

function ask(url, agent) {
  return new Promise((done, fail) => {
    get(url, { agent }, async (incoming) => {
      let text = '';
      for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
      done(text);
    }).on('error', fail);
  });
}
