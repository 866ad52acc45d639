import { once } from 'node:events';
import { createServer, Server } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../src/cli/drill/free-port.ts';

it('a free port is not given twice, and one that is used not at all', async () => {
  // Each search begins with the port after 20000.
  vi.spyOn(Math, 'random').mockReturnValue(1 / 3);
  const used = createServer().listen(20_000);
  onTestFinished(() => void used.close());
  await once(used, 'listening');
  const ports = [await freePort(), ...(await Promise.all([freePort(), freePort()]))];
  expect(ports.toSorted()).toEqual([20_001, 20_002, 20_003]);
});

it.each([
  ['EPERM', /^this process cannot listen \(EPERM\)\. Run /],
  ['EMFILE', /^too many files are open \(EMFILE\)\. Raise the limit/],
  ['EADDRINUSE', /^all ports from 15000 to 29999 are in use\. End the programs that use them\.$/],
])(
  'a search for a port ends with a sentence if listening fails with %s',
  async (code, sentence) => {
    vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
      queueMicrotask(() => this.emit('error', Object.assign(new Error(code), { code })));
      return this;
    });
    await expect(freePort()).rejects.toThrow(sentence);
  },
);
