import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { startMock } from '../support/mock.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));

afterEach(() => {
  vi.useRealTimers();
});

it('a quiet stream of events sends a heartbeat every 15 s', async () => {
  const mock = await startMock({}, { control: true });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const request = get(`${mock.controlUrl}/events`, { agent: false });
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const alive = /^(:\n\n)+$/;
  const times = () => text.split(':\n\n').length - 1;
  await expect.poll(times).toBe(1);
  for (const count of [2, 3]) {
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(14_999);
    expect(times()).toBe(count - 1);
    vi.advanceTimersByTime(1);
    await expect.poll(times).toBe(count);
  }
  expect(text).toMatch(alive);
});
