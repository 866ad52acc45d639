import { expect, it, onTestFinished } from 'vitest';
import type { Fault } from '../../src/mock/fault.ts';
import { describeBothWays } from './both-ways.ts';
import { get, send } from './client.ts';

describeBothWays((open) => {
  it.each<[Fault, RegExp]>([
    ['reset', /read ECONNRESET/],
    ['close', /socket hang up/],
    ['truncate', /aborted/],
    [{ type: 'reset' }, /read ECONNRESET/],
  ])('%j: the client gets an error, and the next answer is whole', async (fault, error) => {
    const mock = await open();
    await mock.respondWith({ fault });
    await expect(get(mock)).rejects.toThrow(error);
    expect((await get(mock)).status).toBe(200);
    const name = typeof fault === 'string' ? fault : fault.type;
    expect((await mock.requests()).map((entry) => entry.fault)).toEqual([name, null]);
  });

  it('malformed: the body comes whole and does not parse', async () => {
    const mock = await open();
    await mock.respondWith({ fault: 'malformed' });
    const { status, text } = await get(mock);
    expect(status).toBe(200);
    expect(text).not.toBe('');
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  it('dribble: the body is the same in the end', async () => {
    const mock = await open();
    const { text } = await get(mock);
    await mock.respondWith({ fault: { type: 'dribble', duration: 20 } });
    expect((await get(mock)).text).toBe(text);
  });

  it('hang: nothing comes, while others are answered', async () => {
    const mock = await open();
    await mock.respondWith({ fault: 'hang' });
    let answered = false;
    const outgoing = send(mock).on('error', () => {});
    outgoing.on('response', () => {
      answered = true;
    });
    onTestFinished(() => void outgoing.destroy());
    await mock.requests({ waitFor: 1 });
    expect((await get(mock)).status).toBe(200);
    expect(answered).toBe(false);
    expect(await mock.requests()).toMatchObject([{ fault: 'hang', status: null }, { fault: null }]);
  });
});
