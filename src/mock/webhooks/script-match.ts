import { MAX_SCRIPTED_TEXTS } from '../limits.ts';
import { allDifferences, Content } from '../verify/difference.ts';
import type { WebhookMatch } from '../verify/expectation.ts';
import type { PreparedWebhook } from './webhook.ts';
import type { ScriptedWebhook } from './webhook-script.ts';

/**
 * The place of the first entry of a script that fits a webhook; -1 if none does. It compares what will
 * be sent, without a signature.
 *
 * @param isEarly whether the webhook can still arrive before its response
 */
export function placeInScript(
  script: readonly ScriptedWebhook[],
  { url, method, headers, body }: PreparedWebhook,
  isEarly: boolean,
): number {
  const fields = { url, method, status: null, reason: null };
  const content = new Content({ headers, query: [], text: `${body}`, bodyCut: false });
  const isMatch = (match: WebhookMatch) =>
    allDifferences(fields, content, match).next().done === true;
  return script.findIndex(
    ({ match, before = false }) => (isEarly || !before) && (match === undefined || isMatch(match)),
  );
}

/** Each webhook is searched for all texts in one turn of the event loop. */
export function hasTooManyTexts(script: readonly ScriptedWebhook[]): boolean {
  const texts = script.filter(({ match }) => typeof match?.body === 'string');
  return texts.length > MAX_SCRIPTED_TEXTS;
}
