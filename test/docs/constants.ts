import { maxHeaderSize } from 'node:http';
import { SAME_SIGNAL } from '../../src/cli/signals.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { STATUSES } from '../../src/control/control-error.ts';
import { LONGEST_LOAD } from '../../src/fixtures/handler-module.ts';
import { REST } from '../../src/fixtures/reload.ts';
import { LOOK } from '../../src/fixtures/watch.ts';
import { LEAST_PATIENCE, MOST_WAITING } from '../../src/log-output.ts';
import { DRIBBLE_DURATION, FAULTS } from '../../src/mock/fault.ts';
import { BATCH } from '../../src/mock/journal/feed.ts';
import { DEFAULT_LIMIT, DEFAULT_TIMEOUT } from '../../src/mock/journal/journal-filter.ts';
import { LONGEST_TURN } from '../../src/mock/journal/turns.ts';
import {
  LAST_TIME,
  LONGEST_FIXTURE,
  LONGEST_GIVEN,
  LONGEST_STATE_CHANGE,
  LONGEST_STATE_NAME,
  LONGEST_STATE_VALUE,
  MOST_PENDING,
  MOST_RESPONSES,
  MOST_STATE_ATTEMPTS,
  MOST_STATE_NAMES,
  MOST_TIMERS,
} from '../../src/mock/limits.ts';
import { RESPONSE } from '../../src/mock/scripted-response.ts';
import { KEEP_ALIVE } from '../../src/net/timeouts.ts';
import { TLS_MODES } from '../../src/tls/tls-mode.ts';
import { RENEWAL_DAYS } from '../../src/tls/validity.ts';
import { readDocument } from './documents.ts';

const { engines } = JSON.parse(readDocument('package.json')) as { engines: { node: string } };
const { status, times } = (
  RESPONSE as unknown as {
    properties: Record<'status' | 'times', { minimum: number; maximum: number; default: number }>;
  }
).properties;
const MIB = 1024 * 1024;

/** Numbers and lists of the code in the words of the pages, by the name that facts.md has for them. */
export const CONSTANTS: Readonly<Record<string, string>> = {
  NODE: engines.node.replace('>=', ''),
  TRUST_IN_PROCESS:
    /Use Node (.*? or newer)/.exec(readDocument('src/library/process-trust.ts'))?.[1] ?? '',
  USER: /^USER (\d+)/m.exec(readDocument('Dockerfile'))?.[1] ?? '',
  PORT: String(SETTINGS.PORT.schema.default),
  CONTROL_PORT: String(SETTINGS.CONTROL_PORT.schema.default),
  CLIENT_TIMEOUT: `${SETTINGS.CLIENT_TIMEOUT.schema.default / 1000} s`,
  KEEP_ALIVE: `${KEEP_ALIVE / 1000} s`,
  MAX_HEADERS: `${maxHeaderSize / 1024} KB`,
  CONTROL_BODY: `${LONGEST_GIVEN / MIB} MiB`,
  CONTROL_PATCH: `${LONGEST_STATE_CHANGE / MIB} MiB`,
  LIMIT: String(DEFAULT_LIMIT),
  RESPONSES: MOST_RESPONSES.toLocaleString('en'),
  PENDING: String(MOST_PENDING),
  BATCH: `${BATCH} ms`,
  TURN: `${LONGEST_TURN / 1024} KiB`,
  LOAD: `${LONGEST_LOAD / 1000} s`,
  FIXTURE: `${LONGEST_FIXTURE / MIB} MiB`,
  STATE_NAMES: MOST_STATE_NAMES.toLocaleString('en'),
  STATE_NAME: `1 to ${LONGEST_STATE_NAME} characters`,
  STATE_VALUE: `${LONGEST_STATE_VALUE / MIB} MiB`,
  STATE_ATTEMPTS: MOST_STATE_ATTEMPTS.toLocaleString('en'),
  LAST_YEAR: String(new Date(LAST_TIME).getUTCFullYear()),
  TIMERS: `${MOST_TIMERS.toLocaleString('en')} timers`,
  STATUSES: `${status.minimum} to ${status.maximum}`,
  TIMES: String(times.default),
  DRIBBLE: `${DRIBBLE_DURATION} ms`,
  WAIT: `in ms; the default is ${DEFAULT_TIMEOUT}`,
  REST: `${REST} ms`,
  LOOK: `${LOOK} ms`,
  SAME_SIGNAL: `${SAME_SIGNAL} ms`,
  LOG_WAITING: `${MOST_WAITING / 1024} KiB`,
  LOG_PATIENCE: `${LEAST_PATIENCE / 1000} second`,
  RENEWAL: `${RENEWAL_DAYS} days`,
  FAULTS: FAULTS.join(' … '),
  // The first one is no wrong one.
  TLS_MODES: TLS_MODES.slice(1).join(' … '),
  ...Object.fromEntries(Object.entries(STATUSES).map(([code, number]) => [code, String(number)])),
};
