// What tests of pages, of the package and of the library compare with or run of the program itself: so
// only this folder knows of src.
export { check } from '../../src/cli/check.ts';
export { DRILL_CONFIG } from '../../src/cli/drill/config.ts';
export { drill } from '../../src/cli/drill.ts';
export { HEALTH_TIMEOUT_MS } from '../../src/cli/health.ts';
export { help } from '../../src/cli/help.ts';
export { init } from '../../src/cli/init.ts';
export { COMMANDS, type CommandName, readArguments } from '../../src/cli/main.ts';
export { record } from '../../src/cli/record.ts';
export { PLACEHOLDERS } from '../../src/cli/run/environment.ts';
export { run } from '../../src/cli/run.ts';
export { serve } from '../../src/cli/serve.ts';
export { SAME_SIGNAL } from '../../src/cli/signals.ts';
export { terminalStream } from '../../src/cli/terminal-log.ts';
export { STATUSES } from '../../src/control/control-error.ts';
export { describeRoutes } from '../../src/control/description.ts';
export { ROUTES } from '../../src/control/routes.ts';
export { FAILURES } from '../../src/drill/failures.ts';
export { RIGHT } from '../../src/drill/judge.ts';
export { MAX_LOAD_MS } from '../../src/fixtures/handler-module.ts';
export { loadFixtureTree } from '../../src/fixtures/load.ts';
export { type Destination, LogOutput, MAX_WAITING_BYTES } from '../../src/log/log-output.ts';
export { createLogger, logRequest } from '../../src/log/logger.ts';
export { ACCOUNT } from '../../src/mock/account/account-options.ts';
export { BATCH } from '../../src/mock/journal/feed.ts';
export { REQUESTS_OPTIONS, WEBHOOKS_OPTIONS } from '../../src/mock/journal/filter-schema.ts';
export { RequestRecord } from '../../src/mock/journal/record.ts';
export { AS_JSON } from '../../src/mock/json/define.ts';
export * as limits from '../../src/mock/limits.ts';
export { isKeyPlace } from '../../src/mock/requests/key-rule.ts';
export { HINTS, REFUSED_WEBHOOK_HINTS, WEBHOOK_HINTS } from '../../src/mock/requests/reason.ts';
export { readDelay } from '../../src/mock/responses/delay.ts';
export { FAULTS, type FaultDefinition } from '../../src/mock/responses/faults.ts';
export { RESPONSE } from '../../src/mock/responses/scripted-response.ts';
export { EXPECTATION, WEBHOOK_EXPECTATION } from '../../src/mock/verify/expectation.ts';
export { SIGNATURE } from '../../src/mock/webhooks/signature.ts';
export { WEBHOOK } from '../../src/mock/webhooks/webhook.ts';
export { SCRIPTED_WEBHOOK } from '../../src/mock/webhooks/webhook-script.ts';
export { KEEP_ALIVE } from '../../src/net/connections.ts';
export { matchers } from '../../src/runners/matchers.ts';
export { STALE_MS } from '../../src/server/snapshot-lock.ts';
export { loadConfig, RUN_VARIABLES } from '../../src/settings/load.ts';
export {
  FLAG_SETTINGS,
  flagOf,
  PREFIX,
  SETTINGS,
  type SettingName,
} from '../../src/settings/settings.ts';
export { shippedFixtures } from '../../src/shipped/folders.ts';
export { sleep } from '../../src/timers.ts';
export { TLS_MODES } from '../../src/tls/tls-mode.ts';
export { RENEWAL_DAYS } from '../../src/tls/validity.ts';
export { testWith } from '../../src/vitest.ts';
