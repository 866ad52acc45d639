import { MomoMockError } from '../errors.ts';
import { VARIANT } from '../mock/account-options.ts';
import { check } from '../mock/check.ts';
import { EXPECTED, VERIFY_OPTIONS } from '../mock/expectation.ts';
import type { JournalEntry } from '../mock/journal-entry.ts';
import { DEFAULT_TIMEOUT, REQUESTS_OPTIONS, type RequestsOptions } from '../mock/journal-filter.ts';
import { BALANCE_BODY, RESPONSES } from '../mock/scripted-response.ts';
import type { MomoScope } from './momo-mock.ts';
import type { RemoteControl } from './remote-control.ts';

/** How long one call waits for requests at most, in ms, because `fetch` gives up after 300 s. */
const LONGEST_WAIT = 60_000;

/**
 * A scope of a mock that runs elsewhere. JSON and queries cannot represent all values (`undefined`,
 * functions), so the input is checked here first, with the same definitions as in the mock. Only
 * the mock checks unknown fields, because it knows which names are keys.
 *
 * @param apikey the key of the account. @default none, for the whole service
 */
export function remoteScope(control: RemoteControl, apikey?: string): MomoScope {
  const ask = async (options: RequestsOptions, wait: number) => {
    const query = { ...options, timeout: wait };
    const answer = await control.json('GET', '/requests', { apikey, query, wait });
    return answer as { requests: JournalEntry[]; total: number };
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
      const filter = check(REQUESTS_OPTIONS, options);
      const { waitFor = 0, timeout = DEFAULT_TIMEOUT } = filter;
      let left = timeout;
      for (; left > LONGEST_WAIT; left -= LONGEST_WAIT) {
        const { total } = await ask({ ...filter, limit: 0 }, LONGEST_WAIT);
        if (total >= waitFor) {
          left = 0;
          break;
        }
      }
      return (await ask(filter, left)).requests;
    },
    async verify(expected, options = {}) {
      const json = check(EXPECTED, expected);
      const { timeout = 0 } = check(VERIFY_OPTIONS, options);
      for (let left = timeout; ; left -= LONGEST_WAIT) {
        const wait = Math.min(left, LONGEST_WAIT);
        const call = { apikey, json, query: { timeout: wait }, wait };
        const failed = await control.json('POST', '/verify', call).then(() => {}, notVerified);
        if (failed === undefined) return;
        if (left <= LONGEST_WAIT) throw failed;
      }
    },
    async verifyScripts() {
      await control.json('POST', '/verify/scripts', { apikey });
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
