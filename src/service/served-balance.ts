import { SILENT } from '../log/logger.ts';
import type { Account } from '../mock/account/account.ts';
import { BALANCE } from '../mock/contract.ts';
import type { Mock } from '../mock/mock.ts';
import { findOperation } from '../mock/operations/find-operation.ts';
import { decide } from '../mock/responses/decide.ts';
import { AccountState } from '../mock/state/account-state.ts';
import { StateView } from '../mock/state/state-view.ts';
import { operationOf } from './handled-operation.ts';
import { runHandler } from './handlers.ts';
import type { ServiceRequest } from './request.ts';

/**
 * The body of the next balance if no response is scripted.
 *
 * @returns `undefined` if a handler fails, or if the status is not 200 to 299
 * @throws MomoMockError `MOMO_MOCK_OPERATION_UNKNOWN`
 */
export async function servedBalance(
  mock: Mock,
  clientTimeout: number,
  account: Account,
): Promise<Buffer | undefined> {
  const { tree } = mock;
  const found = findOperation(mock.operations, BALANCE);
  const handled = mock.handledAt('GET', found.template, account.initial?.key);
  const operation = operationOf(handled, found) ?? found;
  const decision = decide({ account }, { operation, errors: tree.errors, mock });
  // Nobody made a request: what a handler writes, sets and sends is dropped.
  const dropped = { schema: () => tree.stateSchema, onChange: () => {} };
  const state = new StateView(new AccountState({ below: () => account.values, ...dropped }));
  const clock = { now: () => account.clock.now(), after: () => {} };
  const { id, variant } = account;
  const unsent = {
    account: { id, variant, state, clock, tokens: { issue: () => '' }, prompts: { ask: () => {} } },
    operation,
    service: { mock, tree, clientTimeout, logger: SILENT },
    raw: { method: 'GET', headers: {} },
    record: { headers: {} },
    target: { path: operation.template, segments: [], query: [] },
    body: Buffer.alloc(0),
    queueWebhooks: () => {},
  } as object as ServiceRequest;
  const { http } = 'handler' in decision ? await runHandler(unsent, decision) : decision;
  return http.status < 300 ? http.body : undefined;
}
