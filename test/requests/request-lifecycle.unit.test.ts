import { expect, it, vi } from 'vitest';
import { decide } from '../../src/mock/responses/decide.ts';
import { corsHeaders } from '../../src/service/cors.ts';
import { ask } from '../support/client.ts';
import { startServer, type TestServer } from '../support/mock.ts';

vi.mock('../../src/mock/responses/decide.ts', { spy: true });
vi.mock('../../src/service/cors.ts', { spy: true });

const bug = () => {
  throw new TypeError('good is in this message');
};

it.each<[when: string, delay: number, put: (mock: TestServer) => void]>([
  ['in the decision', 0, () => vi.mocked(decide).mockImplementationOnce(bug)],
  ['in a hook', 0, ({ mock }) => (mock.take = bug)],
  ['after a delay', 1, () => vi.mocked(corsHeaders).mockImplementationOnce(bug)],
])(
  'a bug in momo-mock %s causes a 500 and a log line, and affects only its request',
  async (...row) => {
    const [, delay, put] = row;
    const mock = await startServer();
    await mock.mock.account('good').responses.add({ delay });
    put(mock);
    const response = await ask(mock);
    expect(response).toMatchObject({
      status: 500,
      headers: { 'access-control-allow-origin': '*' },
    });
    expect(response.json).toMatchObject({ success: false });
    expect((await mock.all.requests.find({})).entries).toMatchObject([
      { status: 500, source: 'error', aborted: false },
    ]);
    const [line] = mock.records.filter(({ level }) => level === 50);
    expect(line).toMatchObject({ error: 'TypeError', at: expect.any(Array) });
    expect(JSON.stringify(mock.records)).not.toContain('good is');
  },
);
