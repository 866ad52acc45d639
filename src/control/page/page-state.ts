import type { FixtureDetails, ShownOperation } from '../../mock/controller/shown-operation.ts';
import type { ScriptedResponse } from '../../mock/scripted-response.ts';
import type { TlsMode } from '../../tls/tls-mode.ts';
import type { Overview } from '../schemas/overview.ts';

/** The operation that scripted responses are for where none is named. */
export const BALANCE = 'GET /momo/balance';

/** An account in the list of the control API. */
export interface ListedAccount {
  readonly id: string;
  readonly variant: string | null;
}

/** The configuration of an account, or of all. */
export interface ScopeState {
  /** The variant that was set. */
  readonly variant: string | null;
  /** The balance that was set, as JSON. */
  readonly balance: string | null;
  readonly responses: readonly ScriptedResponse[];
}

/** The clock of handlers, of an account or of all. */
export interface ShownClock {
  /** The time in ms since 1970. */
  readonly now: number;
  readonly frozen: boolean;
  /** How many timers are set or running. */
  readonly pending: number;
  /** When the next timer is due; `null` without one. */
  readonly next: number | null;
}

/** What the page did last. */
export interface Command {
  /** The line for a shell that does the same. */
  readonly line: string;
  /** What came of it, in words. */
  readonly outcome: string;
  readonly hasFailed: boolean;
}

/** What the page knows of the mock, apart from requests. */
export interface PageState {
  readonly overview: Overview | null;
  readonly operations: readonly ShownOperation[];
  readonly balanceFixtures: readonly FixtureDetails[];
  readonly accounts: readonly ListedAccount[];
  readonly tls: TlsMode | null;
  /** The number of errors of handlers that nothing caught. */
  readonly uncaughtErrors: number;
  /** The id of the account that the controls are for; `null` for all accounts. */
  readonly scope: string | null;
  /** The configuration of all accounts. */
  readonly service: ScopeState;
  /** The configuration of the account of the scope; `null` without one. */
  readonly own: ScopeState | null;
  /** The clock of the account of the scope, or of all; `null` until it is loaded. */
  readonly clock: ShownClock | null;
  readonly command: Command | null;
  /** Since when the connection is lost. */
  readonly lostSince: Date | null;
  /** Requests that came too fast for this page. */
  readonly missed: number;
}

/** Nothing is configured. */
export const EMPTY_SCOPE: ScopeState = { variant: null, balance: null, responses: [] };

/** The state before anything is loaded. */
export const START_STATE: PageState = {
  overview: null,
  operations: [],
  balanceFixtures: [],
  accounts: [],
  tls: null,
  uncaughtErrors: 0,
  scope: null,
  service: EMPTY_SCOPE,
  own: null,
  clock: null,
  command: null,
  lostSince: null,
  missed: 0,
};

/** The balance that the next request gets where no response is scripted. */
export interface NextBalance {
  readonly text: string;
  /** Why it is this one: a file, or that it was set, in a few words. */
  readonly from: string;
  readonly isFile: boolean;
}

/** Works out the next balance as the mock does. */
export function nextBalance(state: PageState): NextBalance {
  const { own, service, accounts, scope, balanceFixtures } = state;
  if (own !== null && own.balance !== null)
    return { text: own.balance, from: `set for ${scope}`, isFile: false };
  if (service.balance !== null)
    return { text: service.balance, from: 'set for all accounts', isFile: false };
  const account = accounts.find(({ id }) => id === scope);
  const fixture = [own?.variant, service.variant, account?.variant]
    .filter((name) => typeof name === 'string')
    .map((name) => balanceFixtures.find(({ variant }) => variant === name))
    .find((found) => found !== undefined);
  const { body = '', file = '' } = fixture ?? balanceFixtures[0] ?? {};
  return { text: body, from: file, isFile: true };
}
