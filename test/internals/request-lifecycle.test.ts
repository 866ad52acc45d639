import { EventEmitter, once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { decide } from '../../src/mock/decide.ts';
import { corsHeaders } from '../../src/service/cors.ts';
import { temporaryFolder, writeFiles } from '../support/fixture-folder.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';
import { NOTIFY, notify, startWebhook } from '../support/webhook.ts';

vi.mock('../../src/mock/decide.ts', { spy: true });
vi.mock('../../src/service/cors.ts', { spy: true });

const bug = () => {
  throw new TypeError('good is in this message');
};

it.each<[when: string, delay: number, put: (mock: RunningMock) => void]>([
  ['at once', 0, () => vi.mocked(decide).mockImplementationOnce(bug)],
  ['in a hook', 0, ({ mock }) => (mock.store.take = bug)],
  ['in a store that answers later', 0, ({ mock }) => (mock.store.take = async () => bug())],
  ['behind a delay', 1, () => vi.mocked(corsHeaders).mockImplementationOnce(bug)],
])('a bug in momo-mock %s is a 500 and a log line, and ends with its request', async (...row) => {
  const [, delay, put] = row;
  const mock = await runMock();
  await (await mock.mock.scope('good')).responses.add({ delay });
  put(mock);
  const reply = await mock.get('/momo/balance?apikey=good');
  expect(reply).toMatchObject({ status: 500, headers: { 'access-control-allow-origin': '*' } });
  expect(JSON.parse(reply.body)).toMatchObject({ success: false });
  expect((await mock.service.requests.find({})).entries).toMatchObject([
    { status: 500, source: 'error', aborted: false },
  ]);
  const [line] = mock.records.filter(({ level }) => level === 50);
  expect(line).toMatchObject({ error: 'TypeError', at: expect.any(Array) });
  expect(JSON.stringify(mock.records)).not.toContain('good is');
});

it('waits for a store that answers later', async () => {
  const mock = await runMock();
  const { store } = mock.mock;
  const take = store.take.bind(store);
  store.take = async (...asked) => await take(...asked);
  expect((await mock.get('/momo/balance?apikey=good')).status).toBe(200);
  expect((await mock.get('/momo/balance?apikey=bad')).status).toBe(401);
});

it('makes no callback that was reset while the store looked for its script', async () => {
  const folder = temporaryFolder();
  writeFiles(folder, NOTIFY);
  const mock = await runMock({ FIXTURES_DIR: folder });
  const app = await startWebhook((_request, response) => void response.end());
  const steps = new EventEmitter();
  mock.mock.store.takeCallback = async () => {
    const looked = once(steps, 'looked');
    steps.emit('looks');
    await looked;
    return undefined;
  };
  const target = { url: mock.url, ca: mock.ca, apikey: 'good' };
  for (const isReset of [true, false]) {
    const looks = once(steps, 'looks');
    await notify(target, { url: `${app.url}?${isReset}` });
    await looks;
    if (isReset) await (await mock.mock.scope('good')).reset();
    steps.emit('looked');
  }
  await expect.poll(() => app.calls.map(({ target }) => target)).toEqual(['/hook?false']);
});
