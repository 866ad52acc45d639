import { Agent, request } from 'node:https';
import { expect } from 'vitest';
import type { MomoAccount, MomoMock } from '../../src/index.ts';

/** How many control calls there are at once: each takes a connection of its own. */
const CALLS = 20;
const waiting: (() => void)[] = [];
let calls = 0;

/** Makes a control call when it is its turn. */
async function inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
  if (calls >= CALLS) await new Promise<void>((go) => waiting.push(go));
  else calls++;
  try {
    return await call();
  } finally {
    const next = waiting.shift();
    if (next === undefined) calls--;
    else next();
  }
}

/** What came back; where the connection was cut, nothing. */
export interface Reply {
  readonly status: number | null;
  readonly body: string;
}

/** Sends one request. */
export function ask(agent: Agent, url: string): Promise<Reply> {
  return new Promise((done) => {
    const cut = () => done({ status: null, body: '' });
    const outgoing = request(url, { agent }, async (incoming) => {
      try {
        let body = '';
        for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
        done({ status: incoming.statusCode ?? 0, body });
      } catch {
        cut();
      }
    });
    outgoing.on('error', cut);
    outgoing.end();
  });
}

/**
 * One client with a connection and an account of its own: it knows what each of its requests must come to, whatever
 * the others do at the same time.
 */
export class Customer {
  readonly #agent: Agent;
  readonly #account: MomoAccount;
  readonly #number: number;
  /** The statuses of what it asked with its key, which is what its journal holds. */
  readonly #statuses: (number | null)[] = [];
  #balance: string;
  /** All requests that it sent. */
  sent = 0;

  private constructor(account: MomoAccount, number: number, balance: string) {
    this.#agent = new Agent({ ca: account.ca, keepAlive: true, maxSockets: 1 });
    this.#account = account;
    this.#number = number;
    this.#balance = balance;
  }

  /** Opens an account. */
  static async enter(mock: MomoMock, number: number): Promise<Customer> {
    const balance = { of: number, turn: -1 };
    const account = await mock.createAccount({ balance });
    return new Customer(account, number, JSON.stringify(balance));
  }

  /** Asks for the balance, by which its connection is open afterwards. */
  async greet(): Promise<void> {
    await this.#expect(`/momo/balance?apikey=${this.#account.apikey}`, 200, this.#balance);
  }

  /** Closes its connection. */
  leave(): void {
    this.#agent.destroy();
  }

  /** Sends the turn's request, after a control call where the turn has one, and checks the answer. */
  async act(turn: number): Promise<void> {
    const { apikey } = this.#account;
    const mine = { of: this.#number, turn };
    switch ((turn + this.#number) % 20) {
      case 0:
        await inTurn(() => this.#account.setBalance(mine));
        this.#balance = JSON.stringify(mine);
        return await this.#expect(`/momo/balance?apikey=${apikey}`, 200, this.#balance);
      case 1:
        await inTurn(() => this.#account.respondWith({ status: 503, body: mine }));
        return await this.#expect(`/momo/balance?apikey=${apikey}`, 503, JSON.stringify(mine));
      case 2:
        await inTurn(() => this.#account.respondWith({ fault: 'close', delay: 1 }));
        return await this.#expect(`/momo/balance?apikey=${apikey}`, null, '');
      case 3:
        return await this.#expect(`/momo/nothing?apikey=${apikey}`, 404, /NOT_FOUND/);
      case 4:
        return await this.#expect(
          `/momo/balance?apikey=wrong_${this.#number % 100}`,
          401,
          /UNAUTHOR/,
        );
      case 5:
        await this.#compareJournal();
        return await this.#expect(`/momo/balance/?apikey=${apikey}&x=1`, 200, this.#balance);
      default:
        return await this.#expect(`/momo/balance?apikey=${apikey}`, 200, this.#balance);
    }
  }

  async #expect(path: string, status: number | null, body: string | RegExp): Promise<void> {
    this.sent++;
    const reply = await ask(this.#agent, this.#account.url + path);
    if (status !== 401) this.#statuses.push(status);
    const isRight =
      reply.status === status &&
      (typeof body === 'string' ? reply.body === body : body.test(reply.body));
    if (!isRight) expect(reply).toEqual({ status, body });
  }

  async #compareJournal(): Promise<void> {
    const last = await inTurn(() => this.#account.requests({ limit: 3 }));
    const expected = this.#statuses.slice(-last.length || this.#statuses.length);
    expect(last.map(({ status }) => status)).toEqual(expected);
  }
}
