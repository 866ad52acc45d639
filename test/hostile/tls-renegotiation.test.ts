import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { runMock } from '../support/running-mock.ts';

it('a client that renegotiates again and again is cut off, and breaks nothing', async () => {
  const mock = await runMock();
  const { port, ca } = mock;
  const version = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
  const socket = connect({ port, host: 'localhost', ca, ...version }).on('error', () => {});
  await once(socket, 'secureConnect');
  const closed = new Promise<boolean>((done) => socket.once('close', () => done(false)));
  let times = 0;
  // Node lets a client do it three times in ten minutes.
  for (; times < 20 && !socket.destroyed; times++) {
    const again = new Promise<boolean>((done) => {
      socket.renegotiate({}, (error) => done(error === null));
    });
    if (!(await Promise.race([again, closed]))) break;
  }
  socket.destroy();
  expect(times).toBeLessThan(20);
  expect((await mock.get('/momo/balance?apikey=good')).status).toBe(200);
  expect(JSON.stringify(mock.records)).not.toContain('a bug in momo-mock');
});
