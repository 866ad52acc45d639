import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { expect } from 'vitest';
import type { WebhookSignature } from '../../src/index.ts';
import type { Call } from './webhook.ts';

/** The body of the webhooks. */
export const BODY = { event: 'deposit.stateChanged', amount: 500, note: 'é' };
/** The secret that the application shares with the provider. */
export const SECRET = 'whsec_TWljZSBhbmQgbWVuLCBhbmQgbWljZQ==';

const hmac = (algorithm: string, payload: string) =>
  createHmac(algorithm, SECRET).update(payload).digest('hex');
const headerOf = ({ headers }: Call, name: string) => `${headers[name]}`;

/** What an application does with a webhook of a provider: throws, unless it is genuine. */
type Verifier = (call: Call) => void;

/** The providers of docs/webhooks.md, each with a verifier that is not part of the mock. */
export const PROVIDERS: readonly [name: string, sign: WebhookSignature, verify: Verifier][] = [
  [
    'Paystack',
    { secret: SECRET, algorithm: 'sha512', headers: { 'x-paystack-signature': '{signature}' } },
    (call) => expect(headerOf(call, 'x-paystack-signature')).toBe(hmac('sha512', call.body)),
  ],
  [
    'GitHub',
    { secret: SECRET, headers: { 'x-hub-signature-256': 'sha256={signature}' } },
    (call) =>
      expect(headerOf(call, 'x-hub-signature-256')).toBe(`sha256=${hmac('sha256', call.body)}`),
  ],
  [
    'Stripe',
    {
      secret: SECRET,
      payload: '{timestamp}.{body}',
      headers: { 'stripe-signature': 't={timestamp},v1={signature}' },
    },
    (call) => {
      const { webhooks } = new Stripe('sk_test_x');
      webhooks.constructEvent(call.body, headerOf(call, 'stripe-signature'), SECRET);
    },
  ],
  [
    'FedaPay',
    {
      secret: SECRET,
      payload: '{timestamp}.{body}',
      headers: { 'x-fedapay-signature': 't={timestamp},s={signature}' },
    },
    (call) => {
      const [, time, signature] =
        /^t=(\d+),s=(.+)$/.exec(headerOf(call, 'x-fedapay-signature')) ?? [];
      expect(Math.abs(Date.now() / 1000 - Number(time))).toBeLessThan(300);
      expect(signature).toBe(hmac('sha256', `${time}.${call.body}`));
    },
  ],
  [
    'Standard Webhooks',
    {
      secret: SECRET,
      secretEncoding: 'base64',
      payload: '{id}.{timestamp}.{body}',
      encoding: 'base64',
      headers: {
        'webhook-id': '{id}',
        'webhook-timestamp': '{timestamp}',
        'webhook-signature': 'v1,{signature}',
      },
    },
    (call) =>
      void new StandardWebhook(SECRET).verify(call.body, call.headers as Record<string, string>),
  ],
  [
    'Flutterwave',
    { secret: SECRET, headers: { 'verif-hash': '{secret}' } },
    (call) => expect(headerOf(call, 'verif-hash')).toBe(SECRET),
  ],
];
