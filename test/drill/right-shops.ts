import type { Application, DrillOrder } from '../support/momo-mock.ts';
import { openApplication } from './application.ts';
import { drillShop } from './faults.ts';
import { openMpesaShop } from './mpesa-shop.ts';
import { openMtnShop } from './mtn-shop.ts';
import { PRESET_LACKS } from './preset-faults.ts';

type Shop = Application & { close(): Promise<void> };

/** An application that is right in its own way, and survives everything. */
export interface RightShop {
  readonly preset: keyof typeof LACKS;
  /** What is special about it. */
  readonly what: string;
  /** @param timeout of its requests, in ms */
  open(timeout?: number): Promise<Shop>;
}

/** In ms. It limits the handshake, too, and the machine may be busy. */
const TIMEOUT = 5000;

const LACKS = {
  chipdeals: { 'token-expired': 'not-applicable: The API has no tokens: its key does not end.' },
  ...PRESET_LACKS,
} satisfies Readonly<Record<string, Record<string, string>>>;

const chipdeals = (what: string, traits: Parameters<typeof openApplication>[0] = {}) => ({
  preset: 'chipdeals' as const,
  what,
  open: (timeout = TIMEOUT) => openApplication(traits, { timeout }),
});
const mtn = (what: string, options: Parameters<typeof openMtnShop>[1] = {}) => ({
  preset: 'mtn-momo' as const,
  what,
  open: (timeout = TIMEOUT) => openMtnShop({}, { timeout, ...options }),
});
const mpesa = (what: string, options: Parameters<typeof openMpesaShop>[1] = {}) => ({
  preset: 'mpesa-daraja' as const,
  what,
  open: (timeout = TIMEOUT) => openMpesaShop({}, { timeout, ...options }),
});

/** The same application, which writes phone numbers in another way. */
function writing(write: (phone: string) => string, { open, ...shop }: RightShop): RightShop {
  return {
    ...shop,
    open: async (timeout) => {
      const { pay, ...rest } = await open(timeout);
      const written = (order: DrillOrder) => ({ ...order, phone: write(order.phone) });
      return { ...rest, pay: async (order) => await pay(written(order)) };
    },
  };
}

export const USUAL = {
  chipdeals: chipdeals('is as others are'),
  'mtn-momo': mtn('is as others are'),
  'mpesa-daraja': mpesa('is as others are'),
} as const;

/** What each provider accepts besides its own form: Daraja only its own, which may have blanks around it. */
export const PHONES: readonly RightShop[] = [
  writing((phone) => `+${phone}`, mtn('writes +256…')),
  writing((phone) => `00${phone}`, mtn('writes 00256…')),
  writing((phone) => phone.replace(/^256/, '0'), mtn('writes 0770… without the country')),
  writing(
    (phone) => phone.replace(/^229(?!01)/, '22901'),
    chipdeals('writes the 01 that Benin added'),
  ),
  writing((phone) => ` ${phone} `, mpesa('writes spaces around a number')),
];

export const IDS: readonly RightShop[] = [
  chipdeals('sends an id of its own', { id: 'own' }),
  mtn('sends an id of its own', { id: 'own' }),
  mpesa('sends an id of its own', { id: 'own' }),
  chipdeals('sends no id', { id: 'none' }),
  mtn('sends no id', { id: 'none' }),
  mpesa('sends the same id each time', { id: 'none' }),
  // After a lost response, nothing tells it which order a webhook is about.
  mpesa('has one URL for all webhooks', { hasOwnUrls: false }),
];

export const HABITS: readonly RightShop[] = [
  chipdeals('begins the payment after pay has come back', { paysLater: true }),
  chipdeals('leaves the next attempt to its cron job', { retriesFromCron: true }),
  chipdeals('has a URL for the webhooks of each order', { hasUrlForEachOrder: true }),
  chipdeals('has one worker', { hasOneWorker: true }),
];

/** What the drill says of a right shop that was not survived, and what should not be applicable. */
export async function wrongOf(
  { preset, open }: RightShop,
  { timeout, ...options }: { timeout?: number } & Parameters<typeof drillShop>[1] = {},
): Promise<Record<string, string>> {
  const said = await drillShop(await open(timeout), { preset, ...options });
  const lacks: Readonly<Record<string, string>> = LACKS[preset];
  const others = Object.entries(said).filter(
    ([name, text]) => text !== 'survived' && text !== lacks[name],
  );
  return Object.fromEntries(others);
}
