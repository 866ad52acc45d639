export type { Application, DrillOrder, DrillOutcome, DrillProvider } from './drill/application.ts';
export {
  drills,
  type MomoDrillOptions,
  type MomoFailure,
  type MomoFailures,
} from './drill/drills.ts';
export type { DrillResult, DrillWrong } from './drill/result.ts';
export { MomoMockError, type MomoMockErrorCode } from './errors.ts';
export { connectMomoMock, type MomoConnectOptions } from './library/connect-momo-mock.ts';
export type {
  MomoAccount,
  MomoMock,
  MomoRestored,
  MomoScope,
  MomoTarget,
} from './library/momo-mock.ts';
export { startMomoMock } from './library/start-momo-mock.ts';
export type { MomoKeyIn, MomoPreset, MomoStartOptions } from './library/start-options.ts';
export type { MomoAccountOptions } from './mock/account/account-options.ts';
export type { MomoRateLimit } from './mock/account/rate-limit.ts';
export type { MomoSnapshot } from './mock/account/snapshot.ts';
export type { TokenOptions } from './mock/account/token-options.ts';
export type { MomoClock } from './mock/clock/clock.ts';
export type { RequestEntry, WebhookEntry } from './mock/journal/entry.ts';
export type {
  RequestFields,
  RequestsOptions,
  WebhookFields,
  WebhooksOptions,
} from './mock/journal/filter.ts';
export type {
  DrillAccount,
  DrillEnd,
  DrillFlow,
  DrillPayment,
  DrillPreparation,
  LedgerEntry,
  MomoDrill,
  PaymentEnd,
} from './mock/ledger/momo-drill.ts';
export type {
  HandlerContext,
  HandlerErrorRequest,
  HandlerLog,
  HandlerRequest,
  HandlerResponse,
  MomoHandler,
} from './mock/operations/handler.ts';
export type { MomoOperation } from './mock/operations/operation-name.ts';
export type { Prompt, PromptEntry, PromptsOptions } from './mock/prompts/prompt.ts';
export type { RequestReason, WebhookReason } from './mock/requests/reason.ts';
export type { RequestViolation } from './mock/requests/request-schema.ts';
export type { ResponseDelay } from './mock/responses/delay.ts';
export type { ResponseFault } from './mock/responses/fault.ts';
export type { ResponseFaultType } from './mock/responses/faults.ts';
export type { ResponseFile, ScriptedResponse } from './mock/responses/scripted-response.ts';
export type { ResponseSource } from './mock/responses/source-words.ts';
export type { MomoState, MomoStateDraft } from './mock/state/state.ts';
export type {
  ExactRequests,
  ExactWebhooks,
  ExpectedRequest,
  ExpectedRequests,
  ExpectedTimes,
  ExpectedWebhook,
  ExpectedWebhooks,
  FinishedRequest,
  MomoFinishOptions,
  MomoVerifyOptions,
  RequestExpectation,
  WebhookExpectation,
} from './mock/verify/expectation.ts';
export type { WebhookForgery, WebhookSignature } from './mock/webhooks/signing.ts';
export type { Webhook, WebhookResponse } from './mock/webhooks/webhook.ts';
export type { ScriptedWebhook } from './mock/webhooks/webhook-script.ts';
export type { MomoTlsMode } from './tls/tls-mode.ts';
