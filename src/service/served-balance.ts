import type { Account } from '../mock/account/account.ts';
import { BALANCE } from '../mock/contract.ts';
import type { Mock } from '../mock/mock.ts';
import { findOperation } from '../mock/operations/find-operation.ts';
import { type Changeable, decide, withScript } from '../mock/responses/decide.ts';
import { AccountState } from '../mock/state/account-state.ts';
import { StateView } from '../mock/state/state-view.ts';
import { run } from './handlers.ts';
import type { Service, ServiceRequest } from './request.ts';

/**
 * The body of the next balance if no response is scripted.
 *
 * @returns `undefined` if a handler fails, or if the status is not 200 to 299
 * @throws MomoMockError `MOMO_MOCK_OPERATION_UNKNOWN`
 */
export async function servedBalance(
  mock: Mock,
  options: Pick<Service, 'clientTimeout' | 'logger'>,
  account: Account,
): Promise<Buffer | undefined> {
  const { tree } = mock;
  const operation = findOperation(mock.operations, BALANCE);
  const decision = decide({ account }, { operation, errors: tree.errors, mock });
  // Nobody made a request: what a handler writes, sets and sends is dropped.
  const dropped = { schema: () => tree.stateSchema, onChange: () => {} };
  const state = new StateView(new AccountState({ below: () => account.values, ...dropped }));
  const clock = { now: () => account.clock.now(), after: () => {} };
  const { id, variant } = account;
  const tokens = { issue: () => '' };
  const prompts = { ask: () => {} };
  const service = { ...options, mock, tree };
  const request = {
    account: { id, variant, state, clock, tokens, prompts },
    record: { headers: {} },
    operation,
    service,
  };
  const unsent = { ...request, queueWebhooks: () => {} } as object as ServiceRequest;
  const path = operation.template;
  const input = { method: 'GET', path, params: {}, query: {}, headers: {}, body: undefined };
  try {
    let response: Changeable;
    if ('handler' in decision) {
      response = await run(unsent, decision, { ...input, rawBody: Buffer.alloc(0) }, 200);
      for (const script of decision.scripts) response = withScript(script, response, tree.errors);
    } else response = decision;
    return response.http.status < 300 ? response.http.body : undefined;
  } catch {
    return undefined;
  }
}
