import * as Type from 'typebox';
import { closedObject, define, flag, integer, oneOf } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { MAX_REPEATS, MAX_SCRIPTED_WEBHOOKS, MAX_WEBHOOK_DELAY_MS } from '../limits.ts';
import { WEBHOOK_MATCH, type WebhookMatch } from '../verify/expectation.ts';
import { FORGERIES, type WebhookForgery } from './signing.ts';
import { beforeResponse } from './webhook.ts';

/** What a test scripts for one of the next webhooks. An empty object changes nothing. */
export interface ScriptedWebhook {
  /**
   * Which webhook it is for: `url`, `method`, `headers` and `body`, compared as in an expectation.
   * Its signature is not compared.
   *
   * @default any webhook
   */
  readonly match?: WebhookMatch;
  /** Whether to drop it. A dropped webhook is not sent or retried. @default false */
  readonly lose?: boolean;
  /** The delay before sending, in ms, at most a day. @default 0 */
  readonly delay?: number;
  /** How many times to send it, one after the other. @default 1 */
  readonly repeat?: number;
  /**
   * How all its attempts are forged: `signature` signs with another secret, `timestamp` signs for
   * 15 minutes ago, `body` changes the body after signing, and `missing` omits the signature.
   *
   * @default genuine
   */
  readonly forge?: WebhookForgery;
  /**
   * Whether it arrives before its response, which waits until the first attempt has ended, at most for
   * the webhook's timeout. A number is the longest wait once the attempt is sent, in ms, at most 10000:
   * then the response leaves, and the attempt continues. If a handler's timer sends it later, the
   * account's clock is advanced while the response waits, no further than to this webhook. It is for
   * webhooks of requests only: not for `sendWebhook`, and not for one whose response has left.
   *
   * @default false
   */
  readonly before?: boolean | number;
}

export const SCRIPTED_WEBHOOK: Definition<ScriptedWebhook> = define(
  closedObject(
    {
      match: Type.Optional(WEBHOOK_MATCH as Definition<WebhookMatch> & Type.TSchema),
      lose: flag('Whether to drop it: the mock neither sends nor retries it.', { default: false }),
      delay: integer('The delay before it is sent, in ms.', {
        maximum: MAX_WEBHOOK_DELAY_MS,
        default: 0,
      }),
      repeat: integer('How many times to send it, one after the other.', {
        minimum: 1,
        maximum: MAX_REPEATS,
        default: 1,
      }),
      forge: oneOf(
        [...FORGERIES],
        'How to forge all its attempts: signature signs with another secret, timestamp signs for 15 minutes ago, body changes the body after signing, and missing omits the signature.',
      ),
      before: beforeResponse(
        "Whether it arrives before its response, which waits until the first attempt has ended. A number is the longest wait once the attempt is sent, in ms. The account's clock is advanced to a webhook that a handler's timer sends.",
      ),
    },
    { $id: 'ScriptedWebhook' },
  ),
);

export const WEBHOOK_SCRIPT: Definition<readonly ScriptedWebhook[]> = define(
  Type.Immutable(
    Type.Array(SCRIPTED_WEBHOOK, {
      $id: 'Webhooks',
      title: `a list of at most ${MAX_SCRIPTED_WEBHOOKS} objects with some of match, lose, delay, repeat, forge, before`,
      maxItems: MAX_SCRIPTED_WEBHOOKS,
      examples: [
        [{}, { lose: true }, { delay: 5000 }, { repeat: 2 }, { forge: 'signature' }],
        [{ match: { body: { status: 'SUCCESS' } }, before: true }],
        [{ before: 500 }],
      ],
    }),
  ),
);
