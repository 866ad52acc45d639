import { readFileSync } from 'node:fs';
import * as mtn from 'mtn-momo';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openNodeProject } from '../docs/node-project.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import type { MomoAccount } from '../support/momo-mock.ts';
import { startWebhook } from '../support/webhook.ts';

// Some tests start the command, and in it a client library, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const [HOST = ''] = JSON.parse(readFileSync('presets/mtn-momo/preset.json', 'utf8')).hosts;
const PHONE = '256770000001';
const PARTY = { partyIdType: mtn.PayerType.MSISDN, partyId: PHONE };
const PAYMENT = {
  amount: '12.50',
  currency: 'EUR',
  externalId: 'order-7',
  payerMessage: 'm',
  payeeNote: 'n',
};

interface App {
  readonly mock: TestMock;
  readonly momo: MomoAccount;
  readonly collections: ReturnType<ReturnType<typeof mtn.create>['Collections']>;
  readonly disbursements: ReturnType<ReturnType<typeof mtn.create>['Disbursements']>;
}

/** An application with an API user that the library has created. */
async function startApp(
  way: 'baseUrl' | 'redirect' = 'baseUrl',
  state: Record<string, unknown> = {},
): Promise<App> {
  const redirect = way === 'redirect' ? { redirect: HOST } : {};
  const mock = await startMock({}, { preset: 'mtn-momo', ...redirect });
  if (way === 'baseUrl') onTestFinished(mock.trust());
  const momo = await mock.createAccount({ state });
  await momo.freeze();
  const options = way === 'baseUrl' ? { baseUrl: mock.url } : {};
  const { Collections, Disbursements, Users } = mtn.create({
    callbackHost: 'shop.example',
    ...options,
  });
  const users = Users({ primaryKey: momo.apiKey });
  const userId = await users.create('shop.example');
  const { apiKey: userSecret } = await users.login(userId);
  const config = { primaryKey: momo.apiKey, userId, userSecret };
  return { mock, momo, collections: Collections(config), disbursements: Disbursements(config) };
}

describe.each(['baseUrl', 'redirect'] as const)('the client mtn-momo with its %s', (way) => {
  it('collects a payment', async () => {
    const { momo, collections } = await startApp(way);
    const reference = await collections.requestToPay({ ...PAYMENT, payer: PARTY });
    expect(await collections.getTransaction(reference)).toMatchObject({ status: 'PENDING' });
    await momo.advance('idle');
    expect(await collections.getTransaction(reference)).toEqual({
      ...PAYMENT,
      amount: '12.5',
      payer: PARTY,
      status: 'SUCCESSFUL',
      financialTransactionId: expect.any(String),
    });
    expect(await collections.getBalance()).toEqual({ availableBalance: '1012.5', currency: 'EUR' });
    expect(await collections.isPayerActive(PHONE)).toEqual({ result: true });
  });

  it('transfers money', async () => {
    const { momo, disbursements } = await startApp(way);
    const reference = await disbursements.transfer({ ...PAYMENT, payee: PARTY });
    await momo.advance('idle');
    expect(await disbursements.getTransaction(reference)).toMatchObject({ status: 'SUCCESSFUL' });
    expect(await disbursements.getBalance()).toMatchObject({ availableBalance: '987.5' });
    // This call of the library returns the value of result alone.
    expect(await disbursements.isPayerActive(PHONE)).toBe(true);
  });
});

describe('the client mtn-momo', () => {
  it.each([
    ['46733123450', mtn.InternalProcessingError],
    ['46733123451', mtn.ApprovalRejectedError],
    ['46733123452', mtn.ExpiredError],
    ['46733123455', mtn.PayerNotFoundError],
    ['46733123456', mtn.PayeeNotAllowedToReceiveError],
    ['46733123457', mtn.NotAllowedError],
    ['46733123458', mtn.NotAllowedTargetEnvironmentError],
    ['46733123459', mtn.InvalidCallbackUrlHostError],
    ['46733123460', mtn.InvalidCurrencyError],
    ['46733123462', mtn.ServiceUnavailableError],
  ])('throws its own error for the failed payment of %s', async (partyId, type) => {
    const { momo, collections } = await startApp();
    const payer = { ...PARTY, partyId };
    const reference = await collections.requestToPay({ ...PAYMENT, payer });
    await momo.advance('idle');
    await expect(collections.getTransaction(reference)).rejects.toBeInstanceOf(type);
  });

  it.each([
    ['46733123455', mtn.NotEnoughFundsError],
    ['46733123456', mtn.PayerLimitReachedError],
    ['46733123457', mtn.PayeeNotFoundError],
  ])('throws its own error for the failed transfer to %s', async (partyId, type) => {
    const { momo, disbursements } = await startApp();
    const payee = { ...PARTY, partyId };
    const reference = await disbursements.transfer({ ...PAYMENT, payee });
    await momo.advance('idle');
    await expect(disbursements.getTransaction(reference)).rejects.toBeInstanceOf(type);
  });

  it.each([
    {
      what: 'another currency',
      more: { currency: 'UGX' },
      error: mtn.InvalidCurrencyError,
      reason: 'currency-unknown',
    },
    {
      what: 'another callback host',
      more: { callbackUrl: 'https://other.example/' },
      error: mtn.InvalidCallbackUrlHostError,
      reason: 'callback-host-wrong',
    },
    {
      what: 'an invalid amount',
      more: { amount: '5,5' },
      error: mtn.UnspecifiedError,
      reason: 'amount-invalid',
    },
  ])(
    'throws its own error for $what, whose reason is in the journal',
    async ({ more, error, reason }) => {
      const { momo, collections } = await startApp();
      const paying = collections.requestToPay({ ...PAYMENT, payer: PARTY, ...more });
      await expect(paying).rejects.toBeInstanceOf(error);
      expect((await momo.requests()).at(-1)).toMatchObject({ reason });
    },
  );

  it('gets a 409 if it repeats a transfer whose response was lost', async () => {
    const { momo, disbursements } = await startApp();
    const referenceId = crypto.randomUUID();
    const transfer = () => disbursements.transfer({ ...PAYMENT, referenceId, payee: PARTY });
    await momo.respondWith({ operation: 'POST /disbursement/v1_0/transfer', fault: 'reset' });
    await expect(transfer()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(transfer()).rejects.toBeInstanceOf(mtn.ResourceAlreadyExistError);
    await momo.advance('idle');
    expect(await disbursements.getTransaction(referenceId)).toMatchObject({ status: 'SUCCESSFUL' });
    expect(await disbursements.getBalance()).toMatchObject({ availableBalance: '987.5' });
  });

  it('does not see that its token has expired, and gets a new one when it knows the time', async () => {
    const { momo, collections } = await startApp();
    await collections.getBalance();
    await momo.advance(3_600_000);
    // It keeps a token for an hour of its own clock.
    await expect(collections.getBalance()).rejects.toBeInstanceOf(mtn.UnspecifiedError);
    expect((await momo.requests()).at(-1)).toMatchObject({ status: 401, reason: 'token-expired' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await collections.getBalance()).toMatchObject({ currency: 'EUR' });
  });

  it('is refused with wrong credentials', async () => {
    const { mock, momo } = await startApp();
    const { Collections, Users } = mtn.create({ callbackHost: 'x', baseUrl: mock.url });
    const [userId, userSecret] = ['11111111-1111-4111-8111-111111111111', 'wrong'];
    const collections = Collections({ primaryKey: momo.apiKey, userId, userSecret });
    await expect(collections.getBalance()).rejects.toBeInstanceOf(mtn.UnspecifiedError);
    expect((await momo.requests()).at(-1)).toMatchObject({ reason: 'login-failed' });
    const users = Users({ primaryKey: 'wrong' });
    await expect(users.create('x')).rejects.toThrow('invalid subscription key');
    expect((await mock.requests()).at(-1)).toMatchObject({ reason: 'key-unknown' });
  });

  it('receives the webhook of a payment', async () => {
    const { momo, collections } = await startApp();
    const app = await startWebhook();
    await collections.requestToPay({ ...PAYMENT, payer: PARTY, callbackUrl: app.url });
    await momo.advance('idle');
    expect(JSON.parse(app.calls[0]?.body ?? '')).toMatchObject({ status: 'SUCCESSFUL' });
  });

  it('lets the payer decide', async () => {
    const { momo, collections } = await startApp('baseUrl', { outcomes: { '*': 'ask' } });
    const reference = await collections.requestToPay({ ...PAYMENT, payer: PARTY });
    const [prompt] = await momo.prompts({ waitFor: 1 });
    await momo.answerPrompt(prompt?.id ?? 0, 'wrong-pin');
    await expect(collections.getTransaction(reference)).rejects.toBeInstanceOf(
      mtn.PaymentNotApprovedError,
    );
  });
});

it('the command momo-sandbox of mtn-momo creates an API user, with which a program collects', () => {
  const project = openNodeProject();
  project.link('mtn-momo');
  project.write(
    'pay.js',
    `import { readFileSync } from 'node:fs';
    import mtn from 'mtn-momo';
    const [, json] = /Credentials (\\{[^]*\\})/.exec(readFileSync('sandbox.txt', 'utf8'));
    const primaryKey = process.env.MOMO_MOCK_APIKEY;
    const { Collections } = mtn.create({ callbackHost: 'shop.example' });
    const collections = Collections({ primaryKey, ...JSON.parse(json) });
    const payer = { partyIdType: 'MSISDN', partyId: '${PHONE}' };
    const reference = await collections.requestToPay({ amount: '5', currency: 'EUR', payer });
    console.log((await collections.getTransaction(reference)).status);`,
  );
  project.write(
    'line.sh',
    `node node_modules/mtn-momo/lib/cli.js --host shop.example --primary-key "$MOMO_MOCK_APIKEY" > sandbox.txt
    node pay.js`,
  );
  expect(project.run('momo-mock run --preset mtn-momo -- sh -e line.sh')).toMatch(/^PENDING$/m);
});
