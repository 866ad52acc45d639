import type { Account, Accounts } from './accounts.ts';
import type { Answer } from './answer.ts';
import type { FixtureTree, Operation } from './operation.ts';
import type { Reason } from './reason.ts';
import { Routes } from './routes.ts';
import { parseTarget } from './target.ts';

/** A request, as far as the answer depends on it. */
export interface ServiceRequest {
  readonly method: string;
  /** The request target as it came over the wire. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
}

/** What the double says to a request, and what there is to know about it. Holds no key. */
export interface Outcome {
  readonly answer: Answer;
  /** Whose key it was; absent where there was no good one. */
  readonly account?: Account;
  /** The path as it may be shown: of the operation, or with unknown text left out. */
  readonly path?: string;
  /** Why it was refused; absent where it was not. */
  readonly reason?: Reason;
}

/** A tree of fixtures, with all that is worked out once for it. */
interface Served {
  readonly tree: FixtureTree;
  readonly routes: Routes;
}

/** The service itself, without the wire: a request goes in, an answer comes out. */
export class Double {
  readonly #accounts: Accounts;
  readonly #strictPaths: boolean;
  #served: Served;

  constructor(options: { accounts: Accounts; tree: FixtureTree; strictPaths: boolean }) {
    this.#accounts = options.accounts;
    this.#strictPaths = options.strictPaths;
    this.#served = this.#serve(options.tree);
  }

  /** The operations that are served, such as `GET /momo/balance`. */
  get operations(): string[] {
    return this.#served.tree.operations.map(({ method, template }) => `${method} ${template}`);
  }

  /** Serves another tree from the next request on. */
  replaceTree(tree: FixtureTree): void {
    this.#served = this.#serve(tree);
  }

  /** Decides the answer to a request. */
  answer(request: ServiceRequest): Outcome {
    const { routes } = this.#served;
    const target = parseTarget(request.target);
    if (target === undefined) return this.refuse('bad-url', 400);
    const account = this.#accounts.find(target.query, request.headers);
    const operations = routes.find(target.segments);
    const path = first(operations)?.template ?? routes.describe(target.segments);
    if (typeof account === 'string') return { ...this.refuse(account, 401), path };
    if (operations === undefined) return { ...this.refuse('unknown-path', 404), path, account };
    const operation = operations.get(request.method === 'HEAD' ? 'GET' : request.method);
    if (operation !== undefined) return { answer: choose(operation, account), path, account };
    const { answer, reason } = this.refuse('wrong-method', 405);
    const headers = { ...answer.headers, allow: allow(operations) };
    return { answer: { ...answer, headers }, reason, path, account };
  }

  /** The answer `errors/<status>`, for a request that was refused for a reason. */
  refuse(reason: Reason, status: number): { answer: Answer; reason: Reason } {
    return { answer: this.error(status), reason };
  }

  /** The answer `errors/<status>`; without such a file, one with no body. */
  error(status: number): Answer {
    return this.#served.tree.errors.get(status) ?? { status, headers: {}, body: Buffer.alloc(0) };
  }

  #serve(tree: FixtureTree): Served {
    return { tree, routes: new Routes(tree.operations, this.#strictPaths) };
  }
}

function choose(operation: Operation, account: Account): Answer {
  const variant =
    account.variant === undefined ? undefined : operation.variants.get(account.variant);
  return variant ?? operation.default;
}

function first(operations: ReadonlyMap<string, Operation> | undefined): Operation | undefined {
  return operations?.values().next().value;
}

function allow(operations: ReadonlyMap<string, Operation>): string {
  const methods = [...operations.keys()];
  return (methods.includes('GET') ? ['HEAD', ...methods] : methods).sort().join(', ');
}
