import type { Application, DrillOrder, DrillOutcome } from '../support/momo-mock.ts';
import { type BreakFaults, misread } from './broken-question.ts';
import { type Call, call, type Reply } from './call.ts';
import { openWebhookServer } from './webhook-server.ts';

/** What can be wrong with a shop, whatever its provider is. */
export interface ShopFaults extends BreakFaults {
  /** Asks the same phone for each payment. */
  readonly hasBuiltInPhone?: boolean;
  /** Asks the phone of the order before. */
  readonly keepsPhone?: boolean;
  readonly believesWebhooks?: boolean;
  /** Believes a webhook that says failed, and asks after all others. */
  readonly believesFailedWebhooks?: boolean;
  /** Believes a webhook if its question for the state fails. */
  readonly believesWebhooksWhileDown?: boolean;
  /** Uses its first token for ever. */
  readonly keepsToken?: boolean;
  readonly hasNoTimeoutForTokens?: boolean;
  readonly hasNoTimeoutForQuestions?: boolean;
  /** Verifies the certificate when it pays, and not when it asks. */
  readonly asksWithoutVerifying?: boolean;
  readonly paysForEachClick?: boolean;
  readonly fulfilsForEachWebhook?: boolean;
  /**
   * Does not look at the order again after it has asked. `webhooks`: only they make it ask. `cron-runs`: only its
   * cron job asks. `webhook-and-cron`: webhooks wait for each other, and so do runs of the cron job.
   */
  readonly fulfilsInRaces?: 'webhooks' | 'webhook-and-cron' | 'cron-runs';
  /** Sends the amount to the customer when a response is lost. */
  readonly givesBackLost?: boolean;
  /** Sends the amount to the customer when the payment has failed. */
  readonly givesBackFailed?: boolean;
}

/** What differs between shops that are right. */
export interface ShopOptions {
  /** Of each request, in ms. @default 5000 */
  readonly timeout?: number;
  /** The id that it sends with an order. @default 'order' */
  readonly id?: 'order' | 'own' | 'none';
  /** Whether it gets a new token for each request, so that it never uses one that has ended. */
  readonly renewsToken?: boolean;
}

type State = DrillOutcome['state'];

export interface Order extends DrillOrder {
  state: State;
  fulfilled: number;
  /** The id that the shop sends with it. */
  readonly id: string | undefined;
  /** How the provider knows the payment. */
  reference?: string;
  /** Whether a webhook said that it is paid. */
  isTold?: boolean;
}

/** What a webhook is about. */
interface Told {
  readonly order: Order | undefined;
  readonly state: State;
  /** @default that of the order */
  readonly reference?: string;
  /** Whether the shop asks nobody. */
  readonly isBelieved?: boolean | undefined;
}

/** In ms. It limits the handshake, too, and the machine may be busy. */
const TIMEOUT = 5000;

/** A shop that takes payments with the API of a provider with tokens: as it should, except for its faults. */
export abstract class TokenShop<Faults extends ShopFaults> {
  protected readonly faults: Faults;
  readonly #options: ShopOptions;
  protected readonly orders = new Map<string, Order>();
  /** Where it receives webhooks. */
  protected webhook = '';
  readonly #tokens = new Map<string, string>();
  readonly #turns = new Map<string, Promise<unknown>>();
  #lastPhone: string | undefined;

  constructor(faults: Faults, options: ShopOptions) {
    this.faults = faults;
    this.#options = options;
  }

  /** The phone of {@link ShopFaults.hasBuiltInPhone}. */
  protected abstract readonly builtInPhone: string;
  protected abstract tokenCall(order: Order, product: string): Call;
  protected abstract bearer(order: Order, token: string): Record<string, string>;
  protected abstract isTokenRefused(reply: Reply): boolean;
  protected abstract start(order: Order, phone: string): Promise<void>;
  protected abstract giveBack(order: Order): Promise<unknown>;
  protected abstract question(order: Order, reference: string): Call;
  /** Whether a response says that there is no such payment. */
  protected abstract isUnknown(reply: Reply): boolean;
  /** @returns what the provider told of the state, if it did */
  protected abstract read(order: Order, reply: Reply): State | undefined;
  protected abstract told(json: Reply['json'], path: string): Told;

  async open(): Promise<Required<Application> & { close(): Promise<void> }> {
    const { webhook, close } = await openWebhookServer((json, path) => this.#receive(json, path));
    this.webhook = webhook;
    return {
      webhook,
      pay: async (given) => {
        const { size } = this.orders;
        if (this.orders.has(given.order) && !this.faults.paysForEachClick) return;
        const ids = { order: given.order, own: `shop-${size + 1}`, none: undefined };
        const id = ids[this.#options.id ?? 'order'];
        const order: Order = { ...given, state: 'pending', fulfilled: 0, id };
        this.orders.set(given.order, order);
        await this.start(order, this.#payerOf(order));
      },
      outcome: async ({ order }) => {
        const { state, fulfilled } = this.orders.get(order) ?? { state: 'pending', fulfilled: 0 };
        return { state, fulfilled };
      },
      reconcile: async ({ order: id }) => {
        const order = this.orders.get(id);
        const { fulfilsInRaces } = this.faults;
        if (order === undefined || fulfilsInRaces === 'webhooks') return;
        const check = () => this.#check(order, order.reference);
        if (fulfilsInRaces === 'webhook-and-cron') await this.#inTurn(`cron of ${id}`, check);
        else await check();
      },
      close,
    };
  }

  protected async authorized(
    order: Order,
    given: Call,
    { product = '', isPatient = false }: { product?: string; isPatient?: boolean | undefined } = {},
  ): Promise<Reply> {
    const { provider } = order;
    const { timeout = TIMEOUT, renewsToken } = this.#options;
    const key = `${provider.apiKey} ${product}`;
    const send = (token: string) => {
      const headers = { ...this.bearer(order, token), ...given.headers };
      return call(provider, { ...given, headers }, isPatient ? undefined : timeout);
    };
    const renew = async (): Promise<string> => {
      const limit = this.faults.hasNoTimeoutForTokens ? undefined : timeout;
      const { json } = await call(provider, this.tokenCall(order, product), limit);
      if (json?.access_token === undefined) throw new Error('There is no token.');
      this.#tokens.set(key, json.access_token);
      return json.access_token;
    };
    const known = renewsToken ? undefined : this.#tokens.get(key);
    const reply = await send(known ?? (await renew()));
    if (!this.isTokenRefused(reply) || this.faults.keepsToken) return reply;
    return await send(await renew());
  }

  protected async settle(order: Order, state: State, isAgain = false): Promise<void> {
    if (state === 'failed' && order.state === 'pending') {
      order.state = 'failed';
      if (this.faults.givesBackFailed) await this.giveBack(order);
    }
    if (state !== 'paid' || (order.state === 'paid' && !isAgain)) return;
    order.state = 'paid';
    order.fulfilled++;
  }

  #payerOf({ phone }: Order): string {
    const before = this.#lastPhone;
    this.#lastPhone = phone;
    if (this.faults.hasBuiltInPhone) return this.builtInPhone;
    return (this.faults.keepsPhone && before) || phone;
  }

  /** @returns whether the provider told the state */
  async #check(order: Order, reference: string | undefined, isAgain = false): Promise<boolean> {
    if (reference === undefined || (order.state !== 'pending' && !isAgain)) return true;
    const { asksWithoutVerifying: isUnverified, hasNoTimeoutForQuestions } = this.faults;
    const question = { ...this.question(order, reference), isUnverified };
    const asked = this.authorized(order, question, { isPatient: hasNoTimeoutForQuestions });
    const mistaken = await misread(asked, this.faults, (reply) => this.isUnknown(reply));
    const state = mistaken ?? this.read(order, await asked);
    if (state === undefined) return false;
    // The first order never races, so that `success` is survived.
    const isRace = this.faults.fulfilsInRaces !== undefined && this.orders.size > 1;
    await this.settle(order, state, isAgain || isRace);
    return true;
  }

  /** Checks that have the same name wait for each other. */
  async #inTurn(name: string, check: () => Promise<unknown>): Promise<void> {
    const before = this.#turns.get(name);
    const now = (async () => {
      await before;
      await check();
    })().catch(() => {});
    this.#turns.set(name, now);
    await now;
  }

  async #receive(json: Reply['json'], path: string): Promise<void> {
    const { order, state, ...told } = this.told(json, path);
    if (order === undefined) return;
    const { reference = order.reference, isBelieved } = told;
    const { faults } = this;
    const check = (isAgain?: boolean) => this.#check(order, reference, isAgain);
    const isFalse = faults.believesFailedWebhooks && state === 'failed';
    if (isBelieved || faults.believesWebhooks || isFalse) await this.settle(order, state);
    else if (faults.fulfilsInRaces === 'webhook-and-cron')
      await this.#inTurn(`webhooks of ${order.order}`, check);
    else if (faults.fulfilsInRaces !== 'cron-runs') {
      const isAgain = faults.fulfilsForEachWebhook && order.isTold;
      const isLearned = await check(isAgain).catch(() => false);
      if (!isLearned && faults.believesWebhooksWhileDown) await this.settle(order, state);
    }
    if (state === 'paid') order.isTold = true;
  }
}
