import { describe, expect, it, vi } from 'vitest';
import { openMpesaClientShop, openMtnClientShop } from '../drill/client-shops.ts';
import { drillShop, notSurvived } from '../drill/faults.ts';
import { HABITS, IDS, PHONES, USUAL, wrongOf } from '../drill/right-shops.ts';
import { failing } from './failing.ts';

// A whole drill takes a minute in real time, and with a timeout of 55 s several.
vi.setConfig({ testTimeout: 1_800_000, maxConcurrency: 5 });

const shops = Object.values(USUAL);

describe.concurrent('everything is survived by a shop', () => {
  it.each(shops.flatMap((shop) => [15, 30, 55].map((seconds) => ({ ...shop, seconds }))))(
    'of $preset whose requests have a timeout of $seconds s',
    async ({ seconds, ...shop }) => {
      expect(await wrongOf(shop, { timeout: seconds * 1000 })).toEqual({});
    },
  );

  it.each([...shops, ...PHONES, ...IDS, ...HABITS])(
    'at $preset that $what, twice in a row',
    async (shop) => {
      expect(await wrongOf(shop)).toEqual({});
      expect(await wrongOf(shop)).toEqual({});
    },
  );
});

const HANGS = /^The application hangs: .*Set a timeout/;

describe.concurrent('an application with the client', () => {
  it('mpesa-node survives everything but a token call without a response, for which it has no timeout', async () => {
    const redirect = 'sandbox.safaricom.co.ke';
    const said = await drillShop(await openMpesaClientShop(), { preset: 'mpesa-daraja', redirect });
    expect(notSurvived(said)).toEqual(failing({ timeout: HANGS }));
  });

  it('mtn-momo has no timeout, and cannot find a lost payment: it keeps the reference to itself', async () => {
    const redirect = 'sandbox.momodeveloper.mtn.com';
    const said = await drillShop(await openMtnClientShop(), { preset: 'mtn-momo', redirect });
    const pending = /still says pending.*\n.*X-Reference-Id/;
    expect(notSurvived(said)).toEqual(
      failing({
        'lost-response': pending,
        timeout: HANGS,
        'half-response': pending,
        'server-error': pending,
        'status-broken': HANGS,
        'token-expired': /still says pending.*\n.*get another token/,
      }),
    );
  });
});
