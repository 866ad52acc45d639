import * as Type from 'typebox';
import { WEBHOOKS_OPTIONS } from '../../mock/journal/filter-schema.ts';
import { shownWebhook } from '../../mock/verify/shown.ts';
import { prepareWebhook, WEBHOOK, WEBHOOK_CHANGE } from '../../mock/webhooks/webhook.ts';
import { SCRIPTED_WEBHOOK, WEBHOOK_SCRIPT } from '../../mock/webhooks/webhook-script.ts';
import { ControlError } from '../control-error.ts';
import { type Call, numberOf, route } from '../route.ts';
import { ATTEMPT, IDS, matchingEntries, notVerified, TOO_FEW } from '../schemas.ts';

const SCRIPT = Type.Object(
  { script: Type.Array(SCRIPTED_WEBHOOK as unknown as Type.TSchema), ids: IDS },
  {
    description: 'The rest of the script, in order. Configured keys are [redacted].',
    examples: [{ script: [{}, { lose: true }], ids: [1, 2] }],
  },
);

const scriptOf = ({ account, server }: Pick<Call, 'account' | 'server'>) => ({
  script: (account.webhookScript.value ?? []).map((entry) =>
    shownWebhook(entry, server.mock.redactor),
  ),
  ids: account.webhookScriptIds,
});

export const webhooksRoutes = {
  'GET /webhooks': route({
    summary: 'List the attempts of webhooks',
    description:
      'One entry for each attempt, in order. Attempts in flight are included, without a status.',
    query: WEBHOOKS_OPTIONS,
    result: matchingEntries('webhooks', ATTEMPT),
    unverified: notVerified('attempts', ATTEMPT, TOO_FEW),
    run: async ({ account, query, signal }) => {
      const { entries, dropped, total } = await account.webhooks.find(query, signal);
      return { webhooks: entries, dropped, total };
    },
  }),
  'DELETE /webhooks': route({
    summary: 'Empty the webhook journal',
    nothing: 'The journal is empty.',
    run: ({ account }) => account.webhooks.clear(),
  }),
  'POST /webhooks': route({
    summary: 'Send a webhook',
    description:
      "Makes the first attempt immediately, and responds when it has ended. Further attempts follow the account's clock.",
    body: WEBHOOK,
    errors: ['MOMO_MOCK_WEBHOOK_UNKNOWN'],
    result: ATTEMPT,
    run: async ({ account, body }) => {
      const attempt = await account.webhookQueue.send(prepareWebhook(body));
      if (attempt !== undefined) return attempt;
      const text = 'Failed to send the webhook: the mock was reset before. Send it again.';
      throw new ControlError('MOMO_MOCK_WEBHOOK_UNKNOWN', text);
    },
  }),
  'POST /webhooks/:id/send': route({
    summary: 'Send a webhook again',
    description:
      'Without a body, makes one more attempt immediately, and responds when it has ended. With a body, sends another webhook like it, as POST /webhooks does: with these changes, and signed in the same way.',
    params: { id: 'The id of an attempt in the journal.' },
    body: WEBHOOK_CHANGE,
    isBodyOptional: true,
    errors: ['MOMO_MOCK_WEBHOOK_UNKNOWN'],
    result: ATTEMPT,
    run: async ({ account, params: { id }, body }) => {
      const attempt = await account.sendWebhookAgain(numberOf(id), body);
      if (attempt !== undefined) return attempt;
      const text =
        'Failed to find the webhook: the journal has no attempt with this id. It may have been removed for a newer one; GET /webhooks lists those that are kept.';
      throw new ControlError('MOMO_MOCK_WEBHOOK_UNKNOWN', text);
    },
  }),
  'GET /webhooks/script': route({
    summary: 'Get the webhook script',
    result: SCRIPT,
    run: scriptOf,
  }),
  'PUT /webhooks/script': route({
    summary: 'Script the next webhooks',
    description:
      'One object for each webhook, in order: drop, delay, repeat or forge it, or send it before its response. An empty object changes nothing. A webhook takes the first object that fits; one without match fits any. A new script replaces the rest of the previous one.',
    body: WEBHOOK_SCRIPT,
    result: SCRIPT,
    run: async ({ account, server, body }) => {
      await account.scriptWebhooks(body);
      return scriptOf({ account, server });
    },
  }),
  'POST /webhooks/script': route({
    summary: 'Add to the webhook script',
    description: 'As PUT, but after what is left of the script.',
    body: WEBHOOK_SCRIPT,
    result: SCRIPT,
    run: async ({ account, server, body }) => {
      await account.scriptWebhooks(body, true);
      return scriptOf({ account, server });
    },
  }),
  'DELETE /webhooks/script': route({
    summary: 'Clear the webhook script',
    nothing: 'Nothing is scripted.',
    run: ({ account }) => account.webhookScript.set(undefined),
  }),
  'DELETE /webhooks/script/:id': route({
    summary: 'Remove one entry of the webhook script',
    params: { id: 'Its id, as in the ids of GET /webhooks/script.' },
    errors: ['MOMO_MOCK_WEBHOOK_UNKNOWN'],
    nothing: 'The entry was removed.',
    run: ({ account, params: { id } }) => {
      if (account.removeScriptedWebhook(numberOf(id))) return;
      const text =
        'Failed to find the entry of the webhook script: none with this id is left. A webhook may have taken it; GET /webhooks/script has the ids of those that are left.';
      throw new ControlError('MOMO_MOCK_WEBHOOK_UNKNOWN', text);
    },
  }),
};
