import { type RequestsOptions, readRequestsOptions } from '../mock/journal-filter.ts';
import type { JournalEntry } from '../mock/journal-record.ts';
import { BALANCE } from '../mock/operation.ts';
import { jsonBytes, readScript, type ScriptedResponse } from '../mock/scripted-response.ts';
import type { MomoScope } from './momo-mock.ts';
import type { RemoteControl } from './remote-control.ts';

/** The longest that one call waits for requests, in ms: `fetch` gives up after 300 s. */
const LONGEST_WAIT = 60_000;

/**
 * What can be told and asked of a scope of a mock that runs elsewhere. What JSON and queries
 * cannot carry as it is (`undefined`, a number where a text is wanted) is checked here, with the
 * core's own checks, so that the errors are the same ones as in process.
 *
 * @param apikey whose scope it is; without one, that of the whole service
 */
export function remoteScope(control: RemoteControl, apikey?: string): MomoScope {
  const ask = async (options: RequestsOptions, wait: number): Promise<JournalEntry[]> => {
    const query = { ...options, timeout: wait };
    const { requests } = await control.json('GET', '/requests', { apikey, query, wait });
    return requests as JournalEntry[];
  };
  return {
    async setBalance(body) {
      if (body === undefined) await control.json('DELETE', '/balance', { apikey });
      else {
        jsonBytes(body, 'the balance');
        await control.json('PUT', '/balance', { apikey, json: body });
      }
    },
    async respondWith(responses) {
      const list = [responses].flat() as ScriptedResponse[];
      for (const response of list) readScript(response, BALANCE);
      await control.json('POST', '/responses', { apikey, json: list });
    },
    async requests(options = {}) {
      const { waitFor, timeout } = readRequestsOptions(options);
      const { limit: _unlimited, ...unlimited } = options;
      let left = timeout;
      for (; left > LONGEST_WAIT; left -= LONGEST_WAIT) {
        const seen = await ask(unlimited, LONGEST_WAIT);
        if (seen.length >= waitFor) return await ask(options, 0);
      }
      return await ask(options, left);
    },
    async reset() {
      await control.json('POST', '/reset', { apikey });
    },
  };
}
