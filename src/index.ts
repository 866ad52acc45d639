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
export type { AccountOptions } from './mock/account-options.ts';
export type { Callback, CallbackSignature } from './mock/callbacks/callback.ts';
export type { CallbackFields, CallbacksOptions } from './mock/callbacks/callback-filter.ts';
export type { CallbackEntry, CallbackReason } from './mock/callbacks/callback-record.ts';
export type { ScriptedCallback } from './mock/callbacks/callback-script.ts';
export type { Delay } from './mock/delay.ts';
export type { Fault, FaultType } from './mock/fault.ts';
export type {
  ErrorRequest,
  Handler,
  HandlerContext,
  HandlerLog,
  HandlerRequest,
  HandlerResponse,
} from './mock/handler.ts';
export type { JournalEntry } from './mock/journal/journal-entry.ts';
export type { RequestFields, RequestsOptions } from './mock/journal/journal-filter.ts';
export type { Source } from './mock/journal/journal-record.ts';
export type { Reason } from './mock/reason.ts';
export type { RequestViolation } from './mock/request-schema.ts';
export type { ResponseFile, ScriptedResponse } from './mock/scripted-response.ts';
export type { State, StateDraft } from './mock/state/state.ts';
export type {
  CallbackExpectation,
  ExactCallbacks,
  ExpectedCallback,
  ExpectedCallbacks,
} from './mock/verify/callback-expectation.ts';
export type {
  ExactRequests,
  Expectation,
  Expected,
  ExpectedStep,
  Times,
  VerifyOptions,
} from './mock/verify/expectation.ts';
export type { TlsMode } from './tls/tls-mode.ts';
