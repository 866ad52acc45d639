import { batch, signal } from '@preact/signals';
import type { CallbackEvent, RequestEvent } from '../mock/journal/feed.ts';
import { read } from './client.ts';
import { readEvents, type ServerEvent } from './events.ts';
import { type Added, type Entry, Journal } from './journal.ts';
import { refresh, throttled } from './mock.ts';
import { Rates } from './rates.ts';
import { hasAttemptEnded } from './words.ts';

/** Since when the connection is lost. */
export const lostSince = signal<Date | null>(null);
/** The number of requests that came too fast for this page. */
export const missed = signal(0);

/** The requests that the page knows of. */
export const requests = new Journal<RequestEvent>(({ ended }) => ended, { kept: 5000, shown: 300 });
/** The attempts of callbacks. */
export const attempts = new Journal<CallbackEvent>(hasAttemptEnded, { kept: 100, shown: 100 });
export const rates = new Rates();

/** The shortest time between two updates of the rows, in ms. */
const SHOW_GAP = 250;

const show = throttled(async () => {
  requests.update();
  attempts.update();
}, SHOW_GAP);

async function load<Shown extends Entry>(journal: Journal<Shown>, name: string, limit: number) {
  const asked = journal.newest;
  const found = await read<Record<string, Shown[]>>(`/${name}?limit=${limit}`);
  const added = journal.replace(found[name] ?? [], Number(found.total), asked);
  show();
  return added;
}

const loadRequests = () => load(requests, 'requests', 500);
const refreshRequests = throttled(async () => count(await loadRequests()), 1000);
const refreshAttempts = throttled(() => load(attempts, 'callbacks', 100), 1000);

/** For entries that came too fast: what is in flight here may have ended since. They are counted. */
const refreshMissed = throttled(async () => {
  refreshAttempts();
  await loadRequests();
}, 5000);

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
          for (const reload of [refresh, refreshRequests, refreshAttempts]) reload();
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
  for (const one of [requests, attempts, rates]) one.clear();
  missed.value = 0;
}

function take(events: readonly ServerEvent[]): void {
  const contents = (name: string) => events.filter((event) => event.name === name);
  const began = contents('request').map(({ content }) => content as RequestEvent);
  const sent = contents('callback').map(({ content }) => content as CallbackEvent);
  attempts.add(sent);
  count(requests.add(began));
  if (began.length + sent.length > 0) show();
  if (began.some(({ source }) => source === 'script')) refresh('responses');
  for (const { content } of contents('dropped')) miss(Number(content.count));
  for (const { content } of contents('change')) changed(String(content.what));
}

function changed(what: string): void {
  if (what === 'requests') refreshRequests();
  if (what === 'callbacks') refreshAttempts();
  refresh(what);
}

function miss(count: number): void {
  missed.value += count;
  rates.begin(Date.now(), count);
  refreshMissed();
}

function count({ begun, ended }: Added<RequestEvent>): void {
  for (const { method, time } of begun) if (method !== null) rates.begin(Date.parse(time));
  for (const { method, time, duration } of ended) {
    if (method !== null && duration !== null) rates.end(Date.parse(time), duration);
  }
}
