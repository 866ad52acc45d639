import { Account, Accounts, type KeyEntry } from './accounts.ts';
import type { Answer } from './answer.ts';
import { Journal } from './journal.ts';
import type { FixtureTree, Operation } from './operation.ts';
import type { Reason } from './reason.ts';
import { Redactor } from './redaction.ts';
import { type Resolved, resolve, resolveBeforeKeyCheck, resolved } from './resolve.ts';
import { Routes } from './routes.ts';
import { Scope } from './scope.ts';
import { parseTarget, type Target } from './target.ts';

/** A request, as far as the answer depends on it. */
export interface ServiceRequest {
  readonly method: string;
  /** The request target as it came over the wire. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
}

/** What the mock says to a request, and what there is to know about it. */
export interface Outcome extends Resolved {
  /** Whose key it was; absent where there was no good one. */
  readonly account?: Account | undefined;
  /** The operation that was asked for. */
  readonly operation?: Operation | undefined;
  /** The path as it may be logged: of the operation, or with unknown text left out. */
  readonly path?: string | undefined;
  /** The request target; for the journal, which takes keys out of it. */
  readonly target?: Target | undefined;
  /** Why it was refused; absent where it was not. */
  readonly reason?: Reason | undefined;
}

/** A tree of fixtures, with all that is worked out once for it. */
interface Served {
  readonly tree: FixtureTree;
  readonly routes: Routes;
}

/** The service itself, without the wire: a request goes in, an answer comes out. */
export class Mock {
  readonly accounts: Accounts;
  readonly journal: Journal;
  readonly redactor = new Redactor();
  /** What holds for every account. */
  readonly service = new Scope();
  readonly #strictPaths: boolean;
  #served: Served;
  readonly #error = (status: number): Answer => this.error(status);

  /**
   * @param options.variant of the accounts whose key names none
   * @param options.journalSize entries kept
   * @param options.strictPaths see {@link Routes}
   */
  constructor(options: {
    keys: readonly KeyEntry[];
    variant?: string | undefined;
    tree: FixtureTree;
    strictPaths: boolean;
    journalSize: number;
  }) {
    this.accounts = new Accounts(options.keys, options.variant);
    for (const { key } of options.keys) this.redactor.remember(key);
    this.journal = new Journal(options.journalSize, this.redactor);
    this.#strictPaths = options.strictPaths;
    this.#served = this.#serve(options.tree);
  }

  /** The operations that are served. */
  get operations(): readonly Operation[] {
    return this.#served.tree.operations;
  }

  /** Serves another tree from the next request on. */
  replaceTree(tree: FixtureTree): void {
    this.#served = this.#serve(tree);
  }

  /** Decides the answer to a request. Uses up what is scripted for it. */
  answer({ method, target: text, headers }: ServiceRequest): Outcome {
    const target = parseTarget(text);
    if (target === undefined) return this.refuse('bad-url', 400);
    const { routes } = this.#served;
    const operations = routes.find(target.segments);
    const operation = operations?.get(method === 'HEAD' ? 'GET' : method);
    const path = operation?.template ?? routes.describe(target.segments);
    const known = { path, target, operation };
    const { service } = this;
    const error = this.#error;

    if (operation !== undefined) {
      const early = resolveBeforeKeyCheck({ operation, service, error });
      if (early !== undefined) return outcome(early, known);
    }
    const account = this.accounts.find(target.query, headers);
    if (!(account instanceof Account)) return outcome(this.refuse(account, 401), known);
    if (operation !== undefined) {
      return outcome(resolve({ operation, service, error, account }), known, account);
    }
    const refused =
      operations === undefined ? this.refuse('unknown-path', 404) : this.#wrongMethod(operations);
    return outcome(refused, known, account);
  }

  /** The answer `errors/<status>`, for a request that was refused for a reason. */
  refuse(reason: Reason, status: number): Resolved & { readonly reason: Reason } {
    return { ...resolved(this.error(status), 'error'), reason };
  }

  /** The answer `errors/<status>`; without such a file, one with no body. */
  error(status: number): Answer {
    return this.#served.tree.errors.get(status) ?? { status, headers: {}, body: Buffer.alloc(0) };
  }

  #wrongMethod(operations: ReadonlyMap<string, Operation>): Outcome {
    const refused = this.refuse('wrong-method', 405);
    const headers = { ...refused.answer.headers, allow: allow(operations) };
    return { ...refused, answer: { ...refused.answer, headers } };
  }

  #serve(tree: FixtureTree): Served {
    return { tree, routes: new Routes(tree.operations, this.#strictPaths) };
  }
}

/** Written out: to spread objects takes V8 ten times as long as all else that an answer needs. */
function outcome(
  { answer, source, file, variant, delay, fault, reason }: Resolved & Pick<Outcome, 'reason'>,
  { path, target, operation }: Pick<Outcome, 'path' | 'target' | 'operation'>,
  account?: Account,
): Outcome {
  return {
    answer,
    source,
    file,
    variant,
    delay,
    fault,
    reason,
    path,
    target,
    operation,
    account,
  };
}

function allow(operations: ReadonlyMap<string, Operation>): string {
  const methods = [...operations.keys()];
  return (methods.includes('GET') ? ['HEAD', ...methods] : methods).sort().join(', ');
}
