import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openMpesaClientShop, openMtnClientShop } from '../drill/client-shops.ts';
import { drillShop, drillWith, FAULTS, NOT_APPLICABLE, notSurvived } from '../drill/faults.ts';
import { openMpesaShop } from '../drill/mpesa-shop.ts';
import { openMtnShop } from '../drill/mtn-shop.ts';
import { drillPreset, PRESET_FAULTS, PRESET_LACKS } from '../drill/preset-faults.ts';

// A whole drill takes about half a minute, in real time.
vi.setConfig({ testTimeout: 600_000 });

it.each(FAULTS)(
  'an application with the fault $fault fails in the failures that it concerns, and in no other',
  async ({ fault, fails, times = {} }) => {
    const said = await drillWith({ [fault]: true }, { times });
    expect(notSurvived(said)).toEqual(
      Object.fromEntries(
        Object.entries(fails).map(([name, sentence]) => [name, expect.stringMatching(sentence)]),
      ),
    );
  },
);

it.each([
  ['does everything in pay', {}],
  ['begins the payment after pay has come back', { paysLater: true }],
])('an application that %s survives every failure, twice in a row', async (_what, faults) => {
  for (let turn = 1; turn <= 2; turn++) {
    const said = await drillWith(faults, {});
    expect(notSurvived(said)).toEqual({});
    const others = Object.keys(said).filter((name) => said[name] !== 'survived');
    expect(others).toEqual(NOT_APPLICABLE);
  }
});

it('a drill of an application with timeouts of a second takes less than 30 s', async () => {
  const began = performance.now();
  expect(notSurvived(await drillWith({}, { times: { timeout: 1000 } }))).toEqual({});
  expect(performance.now() - began).toBeLessThan(30_000);
});

it('the verdicts are the same beside four busy loops', async () => {
  for (let loop = 1; loop <= 4; loop++) {
    const busy = spawn(process.execPath, ['-e', 'for(;;);']);
    onTestFinished(() => void busy.kill());
  }
  expect(notSurvived(await drillWith({}, { times: { timeout: 5000 } }))).toEqual({});
  const said = await drillWith({ newIdForEachAttempt: true }, { times: { timeout: 5000 } });
  const [{ fails } = { fails: {} }] = FAULTS.filter(({ fault }) => fault === 'newIdForEachAttempt');
  expect(Object.keys(notSurvived(said)).sort()).toEqual(Object.keys(fails).sort());
});

describe('the whole drill of the shop of a preset', () => {
  it.each(PRESET_FAULTS)(
    'of $preset with the fault $fault fails in the failures that it concerns, and in no other',
    async ({ fails, ...row }) => {
      const said = await drillPreset(row, {});
      expect(notSurvived(said)).toEqual(
        Object.fromEntries(
          Object.entries(fails).map(([name, sentence]) => [name, expect.stringMatching(sentence)]),
        ),
      );
    },
  );

  it.each([
    ['mtn-momo', () => openMtnShop()],
    ['mpesa-daraja', () => openMpesaShop()],
    ['mpesa-daraja', () => openMpesaShop({}, { hasOwnUrls: false })],
  ] as const)('of %s without a fault is survived, twice in a row', async (preset, open) => {
    for (let turn = 1; turn <= 2; turn++) {
      const said = await drillShop(await open(), { preset });
      const others = Object.entries(said).filter(([, text]) => text !== 'survived');
      expect(Object.fromEntries(others)).toEqual(PRESET_LACKS[preset]);
    }
  });
});

it('an application with the client mtn-momo cannot find a lost payment, because the client keeps the reference to itself', async () => {
  const redirect = 'sandbox.momodeveloper.mtn.com';
  const said = await drillShop(await openMtnClientShop(), { preset: 'mtn-momo', redirect });
  const pending = /still says pending.*\n.*X-Reference-Id/;
  expect(notSurvived(said)).toEqual({
    'lost-response': expect.stringMatching(pending),
    timeout: expect.stringMatching(/^The application waits for ever.*Set a timeout/),
    'half-response': expect.stringMatching(pending),
    'server-error': expect.stringMatching(pending),
    'token-expired': expect.stringMatching(/still says pending.*\n.*get another token/),
  });
});

it('an application with the client mpesa-node survives every failure', async () => {
  const redirect = 'sandbox.safaricom.co.ke';
  const said = await drillShop(await openMpesaClientShop(), { preset: 'mpesa-daraja', redirect });
  expect(notSurvived(said)).toEqual({});
});
