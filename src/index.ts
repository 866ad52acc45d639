export { MomoMockError, type MomoMockErrorCode } from './errors.ts';
export { type ConnectOptions, connectMomoMock } from './library/connect-momo-mock.ts';
export type {
  LocalMomoMock,
  MomoAccount,
  MomoMock,
  MomoScope,
  MomoTarget,
} from './library/momo-mock.ts';
export { startMomoMock } from './library/start-momo-mock.ts';
export type { StartOptions } from './library/start-options.ts';
export type { AccountOptions } from './mock/account/account-options.ts';
export type { RateLimit } from './mock/account/rate-limit.ts';
export type { MomoSnapshot } from './mock/account/snapshot.ts';
export type { Callback } from './mock/callbacks/callback.ts';
export type { Forgery, ScriptedCallback } from './mock/callbacks/callback-script.ts';
export type { CallbackSignature } from './mock/callbacks/signing.ts';
export type { CallbackEntry, JournalEntry } from './mock/journal/entry.ts';
export type {
  CallbackFields,
  CallbacksOptions,
  RequestFields,
  RequestsOptions,
} from './mock/journal/filter.ts';
export type {
  ErrorRequest,
  Handler,
  HandlerContext,
  HandlerLog,
  HandlerRequest,
  HandlerResponse,
} from './mock/operations/handler.ts';
export type { CallbackReason, Reason } from './mock/requests/reason.ts';
export type { RequestViolation } from './mock/requests/request-schema.ts';
export type { Delay } from './mock/responses/delay.ts';
export type { Fault } from './mock/responses/fault.ts';
export type { FaultType } from './mock/responses/faults.ts';
export type { ResponseFile, ScriptedResponse } from './mock/responses/scripted-response.ts';
export type { Source } from './mock/responses/source-words.ts';
export type { State, StateDraft } from './mock/state/state.ts';
export type {
  CallbackExpectation,
  ExactCallbacks,
  ExactRequests,
  Expectation,
  Expected,
  ExpectedCallback,
  ExpectedCallbacks,
  ExpectedStep,
  Times,
  VerifyOptions,
} from './mock/verify/expectation.ts';
export type { TlsMode } from './tls/tls-mode.ts';
