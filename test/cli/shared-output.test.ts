import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openSharedOutput } from '../../src/cli/run/shared-output.ts';
import type { LogOutput } from '../../src/log-output.ts';
import { emptyFolder } from '../support/command.ts';

const FAR = 3_600_000;
const LINE = `${'x'.repeat(1023)}\n`;

/** A socket, and the other end of it, which reads nothing until it is told to. */
async function socketPair(): Promise<{ fd: number; reader: Socket }> {
  const path = join(await emptyFolder(), 'socket');
  const server = createServer({ pauseOnConnect: true }).listen(path);
  await once(server, 'listening');
  const client = connect(path);
  const [reader] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    client.destroy();
    reader.destroy();
    server.close();
  });
  const { fd } = (client as unknown as { _handle: { fd: number } })._handle;
  return { fd, reader };
}

test('a socket gets each line, and closing waits until all are written', async () => {
  const { fd, reader } = await socketPair();
  const { output, close } = await openSharedOutput(fd);
  let text = '';
  reader.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  reader.resume();
  for (let line = 0; line < 500; line++) {
    output.write(LINE);
    if (line % 50 === 49) await expect.poll(() => text.length).toBe((line + 1) * LINE.length);
  }
  expect(output.blocksExit).toBe(false);
  output.write('the last\n');
  await close(performance.now() + FAR);
  await expect.poll(() => text).toMatch(/the last\n$/);
  expect(text).toBe(`${LINE.repeat(500)}the last\n`);
  expect(output.dropped).toBe(0);
});

/** Writes until nothing takes a line any more, also after a while. Returns how many it wrote. */
async function fill(output: LogOutput): Promise<number> {
  let written = 0;
  for (let refused = 0; refused < 20; written++) {
    const before = output.dropped;
    output.write(LINE);
    refused = output.dropped > before ? refused + 1 : 0;
    await sleep(refused > 0 ? 10 : 0);
  }
  return written;
}

test('a socket that nobody reads drops lines, counts them, and says so when it is read again', async () => {
  const { fd, reader } = await socketPair();
  const { output, close } = await openSharedOutput(fd);
  const recovered: number[] = [];
  output.onRecovery = (dropped) => void recovered.push(dropped);
  const written = await fill(output);
  let read = 0;
  reader.on('data', (chunk) => {
    read += chunk.length;
  });
  reader.resume();
  await expect.poll(() => recovered.reduce((sum, count) => sum + count, 0)).toBe(output.dropped);
  await close(performance.now() + FAR);
  await expect.poll(() => read).toBe((written - output.dropped) * LINE.length);
});

test('a socket that nobody reads is given up when the time is over', async () => {
  const { fd } = await socketPair();
  const { output, close } = await openSharedOutput(fd);
  await fill(output);
  await close(0);
});

test('a socket can be closed immediately: lines are dropped from then on', async () => {
  const { fd } = await socketPair();
  const { output, kill } = await openSharedOutput(fd);
  kill();
  await expect
    .poll(() => {
      output.write('x\n');
      return output.dropped;
    })
    .toBeGreaterThan(0);
});

test('a file is written to directly', async () => {
  const file = join(await emptyFolder(), 'log');
  const fd = openSync(file, 'w');
  const { output, close, kill } = await openSharedOutput(fd);
  output.write(LINE);
  await close(performance.now() + FAR);
  kill();
  closeSync(fd);
  expect(readFileSync(file, 'utf8')).toBe(LINE);
});
