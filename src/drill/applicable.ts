import type { DrillFlow, MomoDrill } from '../mock/ledger/momo-drill.ts';
import type { Failure, Need, Play } from './failure.ts';

/** What decides whether a failure can be played. */
export interface Circumstances {
  readonly provider: MomoDrill;
  readonly flow: DrillFlow;
  /** Whether the application takes webhooks. */
  readonly webhookExists: boolean;
  /** Whether it tells how often it fulfilled an order. */
  readonly tellsFulfilled: boolean;
}

/** What of a failure is applicable, or why nothing is. */
export function playsOf(
  { name, plays, needs = [] }: Failure,
  circumstances: Circumstances,
): string | readonly Play[] {
  const { cannot } = circumstances.provider;
  const reason = cannot?.[`payment:${name}`] ?? cannot?.[name];
  if (reason !== undefined) return reason;
  const all = typeof plays === 'function' ? plays() : plays;
  const reasons = all.map((play) =>
    lackOf([...needs, ...(play.needs ?? [])], play.end, circumstances),
  );
  const possible = all.filter((_, at) => reasons[at] === undefined);
  const [first] = reasons;
  return possible.length === 0 && first !== undefined ? first : possible;
}

function lackOf(
  needs: readonly Need[],
  end: Play['end'] = 'success',
  { provider, flow, webhookExists, tellsFulfilled }: Circumstances,
): string | undefined {
  const { ends, webhooks, status, addPaidOrder, payLess, unknown } = flow;
  const lacks: Readonly<Record<Need, string | false>> = {
    webhook:
      (webhooks === undefined && 'The provider sends no webhooks.') ||
      (!webhookExists && 'The application takes no webhooks: webhook is not set.'),
    'pending-webhook':
      webhooks?.pending === undefined &&
      'The provider sends no webhook while a payment is pending.',
    'other-order': addPaidOrder === undefined && 'drill.js has no addPaidOrder.',
    'pay-less': payLess === undefined && 'A payer cannot pay less than the amount.',
    status: status.length === 0 && 'The provider cannot be asked for the state of a payment.',
    unknown:
      (unknown === undefined &&
        'drill.js does not say how the provider responds about an unknown payment.') ||
      (provider.cannot?.['unknown-at-first'] ?? false),
    tokens: provider.tokens === undefined && 'The provider has no tokens.',
    fulfilled: !tellsFulfilled && 'The application does not tell how often it fulfilled the order.',
  };
  const missing = ends[end] === undefined && `drill.js says no phone number for the end ${end}.`;
  return [...needs.map((need) => lacks[need]), missing].find((text) => text !== false);
}
