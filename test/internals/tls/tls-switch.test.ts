import { expect, test } from 'vitest';
import { makeCertificateInMemory } from '../../../src/tls/memory-certificate.ts';
import type { TlsMode } from '../../../src/tls/tls-mode.ts';
import { TlsSwitch } from '../../../src/tls/tls-switch.ts';

const certificate = await makeCertificateInMemory({ hosts: [] });

test('is normal at first, and serves another mode once it is set', async () => {
  const served: TlsMode[] = [];
  const tls = new TlsSwitch(certificate, async (_credentials, mode) => void served.push(mode));
  expect(tls.mode).toBe('normal');
  await tls.set('normal');
  expect(served).toEqual([]);
  await tls.set('expired');
  expect([tls.mode, served]).toEqual(['expired', ['expired']]);
});

test('switches one after the other: the last that was asked for holds', async () => {
  const served: string[] = [];
  const tls = new TlsSwitch(certificate, async (_credentials, mode) => {
    served.push(`${mode} begins`);
    await new Promise(setImmediate);
    served.push(`${mode} is served`);
  });
  await Promise.all([tls.set('expired'), tls.set('untrusted'), tls.set('normal')]);
  expect(tls.mode).toBe('normal');
  expect(served).toEqual(
    ['expired', 'untrusted', 'normal'].flatMap((mode) => [`${mode} begins`, `${mode} is served`]),
  );
});

test('keeps the mode where it cannot be served, and can be set again', async () => {
  let isBroken = true;
  const tls = new TlsSwitch(certificate, async () => {
    if (isBroken) throw new Error('broken');
  });
  await expect(tls.set('expired')).rejects.toThrow('broken');
  expect(tls.mode).toBe('normal');
  isBroken = false;
  await tls.set('expired');
  expect(tls.mode).toBe('expired');
});
