import { batch, signal } from '@preact/signals';
import type { RequestEvent, WebhookEvent } from '../mock/journal/feed.ts';
import { read, send } from './client.ts';
import { type Entry, EntryList } from './entry-list.ts';
import { refresh, throttled } from './mock.ts';
import { clearPhones, loadPhones } from './phones.tsx';
import { Rates } from './rates.ts';
import { hasAttemptEnded } from './words.ts';

/** `null` while the page is connected. */
export const lostSince = signal<Date | null>(null);
/** The number of requests that the mock dropped, because they came too fast. */
export const missed = signal(0);

export const requests = new EntryList<RequestEvent>(({ ended }) => ended, 5000);
export const attempts = new EntryList<WebhookEvent>(hasAttemptEnded, 100);
export const rates = new Rates();

/** Loads both journals, after entries were removed or missed. */
const reload = throttled(async () => {
  // Missed requests are already counted.
  const isFirst = requests.newest === 0;
  const [ended] = await Promise.all([
    load(requests, 'requests', 500),
    load(attempts, 'webhooks', 100),
  ]);
  if (isFirst) count(ended);
}, 1000);

async function load<Item extends Entry>(journal: EntryList<Item>, name: string, limit: number) {
  const newestThen = journal.newest;
  const page = await read<Record<string, Item[]>>(`/${name}?limit=${limit}`);
  return journal.replace(page[name] ?? [], Number(page.total), newestThen);
}

function count(ended: readonly RequestEvent[]): void {
  for (const { method, time, duration } of ended) {
    if (method !== null) rates.add(Date.parse(time), 1, duration);
  }
}

/** @param json an attempt that the page has sent */
export function showAttempt(json: string): void {
  attempts.add([JSON.parse(json)]);
  attempts.showNew();
}

/** The maximum number of requests per 100 ms. Nobody reads more, and each costs the mock time. */
const LIMIT = 10;

export async function follow(): Promise<never> {
  for (;;) {
    try {
      const { body } = await send({ method: 'GET', path: `/events?limit=${LIMIT}` });
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (let isFirst = true; ; isFirst = false) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) break;
        // From here on, no event is missed. The mock may have been replaced.
        if (isFirst) begin();
        const blocks = (rest + value).split('\n\n');
        rest = blocks.pop() ?? '';
        batch(() => blocks.forEach(receive));
      }
    } catch {
      // The mock was stopped, the network is down, or the stream ended.
    }
    lostSince.value ??= new Date();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

function begin(): void {
  requests.list.value = [];
  attempts.list.value = [];
  rates.clear();
  clearPhones();
  missed.value = 0;
  lostSince.value = null;
  refresh();
  reload();
  loadPhones();
}

/** Handles a server-sent event in the format of the control API, or a comment. */
function receive(block: string): void {
  const lines = block.split('\n').map((line) => line.split(/: (.*)/s, 2));
  const { event, data } = Object.fromEntries(lines);
  const content = data === undefined ? undefined : JSON.parse(data);
  if (event === 'request') {
    count(requests.add([content]));
    if (content.source === 'script') refresh();
  } else if (event === 'webhook') {
    attempts.add([content]);
  } else if (event === 'dropped') {
    missed.value += content.count;
    rates.add(Date.now(), content.count);
    reload();
  } else if (event === 'change') {
    if (content.what === 'requests' || content.what === 'webhooks') reload();
    else if (content.what === 'prompts') loadPhones();
    else if (content.what !== 'state') refresh();
  }
}
