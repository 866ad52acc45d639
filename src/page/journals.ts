import { batch, signal } from '@preact/signals';
import type { CallbackEvent, RequestEvent } from '../mock/journal/feed.ts';
import { read } from './client.ts';
import { readEvents, type ServerEvent } from './events.ts';
import { type Entry, Journal } from './journal.ts';
import { refresh, throttled } from './mock.ts';
import { Rates } from './rates.ts';
import { hasAttemptEnded } from './words.ts';

/** Since when the connection is lost. */
export const lostSince = signal<Date | null>(null);
/** The number of requests that came too fast for this page. */
export const missed = signal(0);

/** The requests that the page knows of. */
export const requests = new Journal<RequestEvent>(({ ended }) => ended, 5000);
/** The attempts of callbacks. */
export const attempts = new Journal<CallbackEvent>(hasAttemptEnded, 100);
export const rates = new Rates();

/** Loads both journals, after entries were removed or missed. */
const reload = throttled(async () => {
  // What was missed is counted already.
  const isFirst = requests.newest === 0;
  const [ended] = await Promise.all([
    load(requests, 'requests', 500),
    load(attempts, 'callbacks', 100),
  ]);
  if (isFirst) count(ended);
}, 1000);

async function load<Shown extends Entry>(journal: Journal<Shown>, name: string, limit: number) {
  const asked = journal.newest;
  const found = await read<Record<string, Shown[]>>(`/${name}?limit=${limit}`);
  return journal.replace(found[name] ?? [], Number(found.total), asked);
}

function count(ended: readonly RequestEvent[]): void {
  for (const { method, time, duration } of ended) {
    if (method !== null) rates.add(Date.parse(time), 1, duration);
  }
}

/** The time until the next try to connect, in ms. */
const RETRY = 1000;

/** Follows what happens, as long as the page is open. */
export async function follow(): Promise<never> {
  let last: string | undefined;
  for (;;) {
    let isOpen = false;
    try {
      for await (const { events, lastId } of readEvents(last)) {
        // From the first id on, no event is missed.
        if (!isOpen && lastId !== undefined) {
          isOpen = true;
          if (last !== undefined && mockOf(lastId) !== mockOf(last)) forget();
          lostSince.value = null;
          refresh();
          reload();
        }
        last = lastId ?? last;
        batch(() => take(events));
      }
    } catch {
      // The same as a stream that ends: the mock was stopped, or the network is down.
    }
    lostSince.value ??= new Date();
    await new Promise((resolve) => setTimeout(resolve, RETRY));
  }
}

/** The part of the id of an event that differs in every process. */
function mockOf(id: string): string {
  return id.slice(0, id.indexOf('-'));
}

function forget(): void {
  requests.list.value = [];
  attempts.list.value = [];
  rates.clear();
  missed.value = 0;
}

function take(events: readonly ServerEvent[]): void {
  const contents = (name: string) =>
    events.filter((event) => event.name === name).map(({ content }) => content);
  const received = contents('request') as RequestEvent[];
  if (received.length > 0) count(requests.add(received));
  attempts.add(contents('callback') as CallbackEvent[]);
  if (received.some(({ source }) => source === 'script')) refresh();
  for (const { count = 0 } of contents('dropped') as { count?: number }[]) {
    missed.value += count;
    rates.add(Date.now(), count);
    reload();
  }
  for (const { what = '' } of contents('change') as { what?: string }[]) {
    if (what === 'requests' || what === 'callbacks') reload();
    else if (what !== 'state') refresh();
  }
}
