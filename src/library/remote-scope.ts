import { MomoMockError } from '../errors.ts';
import { VARIANT } from '../mock/account-options.ts';
import { CALLBACKS_OPTIONS, type CallbacksOptions } from '../mock/callbacks/callback-filter.ts';
import { CALLBACK_SCRIPT } from '../mock/callbacks/callback-script.ts';
import { check } from '../mock/check.ts';
import { CLOCK_CHANGE, CLOCK_MOVE } from '../mock/clock/clock-change.ts';
import {
  DEFAULT_TIMEOUT,
  REQUESTS_OPTIONS,
  type RequestsOptions,
} from '../mock/journal/journal-filter.ts';
import { BALANCE_BODY, RESPONSES } from '../mock/scripted-response.ts';
import { EXPECTED_CALLBACKS } from '../mock/verify/callback-expectation.ts';
import { EXPECTED, VERIFY_OPTIONS } from '../mock/verify/expectation.ts';
import type { MomoScope } from './momo-mock.ts';
import type { RemoteControl } from './remote-control.ts';
import { remoteState } from './remote-state.ts';

/** How long one call waits for requests at most, in ms, because `fetch` gives up after 300 s. */
const LONGEST_WAIT = 60_000;

/** How long an `advance` may take in addition, in ms: it waits for callbacks. */
const LONGEST_ADVANCE = 240_000;

/**
 * A scope of a mock that runs elsewhere. JSON and queries cannot represent all values (`undefined`,
 * functions), so the input is checked here first, with the same definitions as in the mock. Only
 * the mock checks unknown fields, because it knows which names are keys.
 *
 * @param apikey the key of the account. @default none, for the whole service
 */
export function remoteScope(control: RemoteControl, apikey?: string): MomoScope {
  /** The entries of a journal that match a filter, when there are enough. */
  const find = async <Entry>(
    name: 'requests' | 'callbacks',
    options: RequestsOptions | CallbacksOptions,
  ): Promise<Entry[]> => {
    const { waitFor = 0, timeout = DEFAULT_TIMEOUT } = options;
    const ask = async (more: object, wait: number) => {
      const query = { ...options, ...more, timeout: wait };
      const answer = await control.json('GET', `/${name}`, { apikey, query, wait });
      return answer as { total: number } & Record<typeof name, Entry[]>;
    };
    let left = timeout;
    for (; left > LONGEST_WAIT; left -= LONGEST_WAIT) {
      const { total } = await ask({ limit: 0 }, LONGEST_WAIT);
      if (total >= waitFor) {
        left = 0;
        break;
      }
    }
    return (await ask({}, left))[name];
  };
  const verify = async (path: string, json: unknown, timeout: number): Promise<void> => {
    for (let left = timeout; ; left -= LONGEST_WAIT) {
      const wait = Math.min(left, LONGEST_WAIT);
      const call = { apikey, json, query: { timeout: wait }, wait };
      const failed = await control.json('POST', path, call).then(() => {}, notVerified);
      if (failed === undefined) return;
      if (left <= LONGEST_WAIT) throw failed;
    }
  };
  return {
    async setBalance(body) {
      if (body === undefined) await control.json('DELETE', '/balance', { apikey });
      else {
        await control.json('PUT', '/balance', { apikey, json: check(BALANCE_BODY, body) });
      }
    },
    async setVariant(variant) {
      if (variant === undefined) await control.json('DELETE', '/variant', { apikey });
      else {
        const json = { variant: check(VARIANT, variant) };
        await control.json('PUT', '/variant', { apikey, json });
      }
    },
    async respondWith(responses) {
      const json = check(RESPONSES, responses);
      await control.json('POST', '/responses', { apikey, json });
    },
    async requests(options = {}) {
      return await find('requests', check(REQUESTS_OPTIONS, options));
    },
    async verify(expected, options = {}) {
      const json = check(EXPECTED, expected);
      const { timeout = 0 } = check(VERIFY_OPTIONS, options);
      await verify('/verify', json, timeout);
    },
    async callbacks(options = {}) {
      return await find('callbacks', check(CALLBACKS_OPTIONS, options));
    },
    async scriptCallbacks(script) {
      const json = check(CALLBACK_SCRIPT, script);
      await control.json('PUT', '/callbacks/script', { apikey, json });
    },
    async verifyCallbacks(expected, options = {}) {
      const json = check(EXPECTED_CALLBACKS, expected);
      const { timeout = 0 } = check(VERIFY_OPTIONS, options);
      await verify('/verify/callbacks', json, timeout);
    },
    async verifyScripts() {
      await control.json('POST', '/verify/scripts', { apikey });
    },
    state: remoteState(control, apikey),
    async advance(by) {
      const json = check(CLOCK_MOVE, { advance: by });
      await control.json('POST', '/clock', { apikey, json, wait: LONGEST_ADVANCE });
    },
    async freeze(isFrozen = true) {
      const json = check(CLOCK_CHANGE, { freeze: isFrozen });
      await control.json('POST', '/clock', { apikey, json });
    },
    async reset() {
      await control.json('POST', '/reset', { apikey });
    },
  };
}

/** Passes on the error of a verification, and throws every other one. */
function notVerified(error: unknown): MomoMockError {
  if (error instanceof MomoMockError && error.code === 'MOMO_MOCK_NOT_VERIFIED') return error;
  throw error;
}
