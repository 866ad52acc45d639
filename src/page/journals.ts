import { batch, signal } from '@preact/signals';
import type { CallbackEntry } from '../mock/callbacks/callback-entry.ts';
import type { CallbackEvent, RequestEvent } from '../mock/journal/journal-events.ts';
import { mockNow, read } from './client.ts';
import { type Added, Entries } from './entries.ts';
import { followEvents, type ServerEvent } from './events.ts';
import { refresh } from './mock.ts';
import { Rates } from './rates.ts';
import { RowView } from './rows.ts';
import { throttled } from './throttled.ts';
import { hasAttemptEnded } from './words.ts';

/** Since when the connection is lost. */
export const lostSince = signal<Date | null>(null);
/** The number of requests that came too fast for this page. */
export const missed = signal(0);

/** The requests that the page knows of, and which of them are shown. */
export const requests = new RowView(new Entries<RequestEvent>(({ ended }) => ended, 5000), 300);
/** The attempts of callbacks. */
export const attempts = new RowView(new Entries<CallbackEvent>(hasAttemptEnded, 100), 100);
export const rates = new Rates();

/** Shows entries, not often, and less so where it takes long: the page has to answer to clicks. */
const show = throttled(
  async () => {
    requests.update();
    attempts.update();
    // The rows are painted after the next frame begins.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  },
  250,
  4,
);

/** The number of requests that are loaded at first. */
const FIRST = 500;

async function loadRequests(isCounted: boolean): Promise<void> {
  const asked = requests.entries.newest;
  try {
    const found = await read<{ requests: RequestEvent[]; total: number }>(
      `/requests?limit=${FIRST}`,
    );
    const added = requests.entries.replace(found.requests, found.total, asked);
    if (isCounted) count(added);
    show();
  } catch {
    // Without a connection, they are loaded when it is back.
  }
}

const refreshRequests = throttled(() => loadRequests(true), 1000);

const refreshAttempts = throttled(async () => {
  const asked = attempts.entries.newest;
  try {
    const found = await read<{ callbacks: CallbackEntry[]; total: number }>('/callbacks?limit=100');
    const events = found.callbacks.map(({ headers: _, body: __, ...event }) => event);
    attempts.entries.replace(events, found.total, asked);
    show();
  } catch {
    // As above.
  }
}, 1000);

/** For entries that came too fast: what is in flight here may have ended since. They are counted. */
const refreshMissed = throttled(async () => {
  await loadRequests(false);
  refreshAttempts();
}, 5000);

/** Follows what happens, as long as the page is open. */
export async function follow(): Promise<never> {
  return await followEvents({
    onOpen(isOtherMock) {
      if (isOtherMock) forget();
      lostSince.value = null;
      refresh();
      refreshRequests();
      refreshAttempts();
    },
    onEvents: (events) => batch(() => take(events)),
    onLost() {
      lostSince.value ??= new Date();
    },
  });
}

function forget(): void {
  requests.entries.clear();
  attempts.entries.clear();
  rates.clear();
  missed.value = 0;
  show();
}

function take(events: readonly ServerEvent[]): void {
  const began: RequestEvent[] = [];
  const sent: CallbackEvent[] = [];
  for (const { name, data } of events) {
    const content = JSON.parse(data);
    if (name === 'request') began.push(content);
    if (name === 'callback') sent.push(content);
    if (name === 'dropped') miss(content.count);
    if (name === 'change') changed(content.what);
  }
  attempts.entries.add(sent);
  count(requests.entries.add(began));
  if (began.length + sent.length > 0) show();
  if (began.some(({ source }) => source === 'script')) refresh('responses');
}

function changed(what: string): void {
  if (what === 'requests') refreshRequests();
  if (what === 'callbacks') refreshAttempts();
  refresh(what);
}

function miss(count: number): void {
  missed.value += count;
  for (let number = 0; number < count; number++) rates.begin(mockNow());
  refreshMissed();
}

function count({ begun, ended }: Added<RequestEvent>): void {
  for (const { method, time } of begun) if (method !== null) rates.begin(Date.parse(time));
  for (const { method, time, duration } of ended) {
    if (method !== null && duration !== null) rates.end(Date.parse(time), duration);
  }
}
