import { batch, signal } from '@preact/signals';
import type { Overview } from '../control/schemas.ts';
import type { WebhookEntry } from '../mock/journal/entry.ts';
import type { RequestEvent, WebhookEvent } from '../mock/journal/feed.ts';
import { read, send } from './control-api.ts';
import { type Entry, EntryList } from './entry-list.ts';
import { refresh, stateVersion, throttled } from './mock.ts';
import { clearPhones, loadPhones } from './phones.tsx';
import { Rates } from './rates.ts';
import { contentOf, type WebhookContent } from './webhook-content.ts';
import { hasAttemptEnded } from './words.ts';

const MAX_ATTEMPTS = 100;

/** `null` while the page is connected. */
export const lostSince = signal<Date | null>(null);
/** The number of requests that the mock dropped, because they came too fast. */
export const missed = signal(0);

export const requests = new EntryList<RequestEvent>(({ ended }) => ended, 5000);
export const attempts = new EntryList<WebhookEvent>(hasAttemptEnded, MAX_ATTEMPTS);
export const rates = new Rates();

/** Loads both journals, after entries were removed or missed. */
const reload = throttled(async () => {
  // Missed requests are already counted.
  const isFirst = isNew;
  isNew = false;
  const [ended] = await Promise.all([
    load(requests, 'requests', 500, isFirst),
    load(attempts, 'webhooks', MAX_ATTEMPTS, isFirst),
  ]);
  readContents();
  if (isFirst) count(ended);
}, 1000);

/** What the bodies of attempts say, by their ids. Events have no bodies. */
export const contents = signal<ReadonlyMap<number, WebhookContent | undefined>>(new Map());

function noteContents(entries: readonly WebhookEntry[]): void {
  const known = entries.map(({ id, body }) => [id, contentOf(body)] as const);
  contents.value = new Map([...contents.peek(), ...known].slice(-MAX_ATTEMPTS));
}

/** Reads the bodies that the page does not know yet. */
const readContents = throttled(async () => {
  const unknown = attempts.list.peek().find(({ id }) => !contents.peek().has(id));
  if (unknown === undefined) return;
  const path = `/webhooks?since=${unknown.id - 1}&limit=${MAX_ATTEMPTS}`;
  const { webhooks } = await read<{ webhooks: WebhookEntry[] }>(path);
  noteContents(webhooks);
}, 250);

const stateChanged = throttled(async () => {
  stateVersion.value++;
}, 500);

async function load<Item extends Entry>(
  journal: EntryList<Item>,
  name: string,
  limit: number,
  isFirst: boolean,
) {
  const newestThen = journal.newest;
  const page = await read<Record<string, Item[]>>(`/${name}?limit=${limit}`);
  const entries = page[name] ?? [];
  // The page has none of those that came in between.
  if (isFirst && (entries[0]?.id ?? 0) > newestThen + 1) journal.list.value = [];
  return journal.replace(entries, Number(page.total), newestThen);
}

function count(ended: readonly RequestEvent[]): void {
  for (const { method, time, duration } of ended) {
    if (method !== null) rates.add(Date.parse(time), 1, duration);
  }
}

/** An attempt with its headers and its body. */
export async function readAttempt(id: number): Promise<WebhookEntry> {
  const path = `/webhooks?limit=${MAX_ATTEMPTS}`;
  const { webhooks } = await read<{ webhooks: WebhookEntry[] }>(path);
  const attempt = webhooks.find((entry) => entry.id === id);
  if (attempt === undefined) throw new Error('Newer attempts have replaced it.');
  return attempt;
}

/** @param json an attempt that the page has sent */
export function showAttempt(json: string): void {
  const attempt: WebhookEntry = JSON.parse(json);
  noteContents([attempt]);
  attempts.add([attempt]);
  attempts.showNew();
}

/** The maximum number of requests per 100 ms. Nobody reads more, and each costs the mock time. */
const LIMIT = 10;

/**
 * Follows the mock while the page is visible: a browser has six connections to a host, and each stream
 * takes one, so a seventh tab would not even load.
 */
export async function follow(): Promise<never> {
  for (;;) {
    await becomesVisible();
    const leaving = new AbortController();
    const leave = () => document.hidden && leaving.abort();
    document.addEventListener('visibilitychange', leave);
    try {
      const path = `/events?limit=${LIMIT}`;
      const { body } = await send({ method: 'GET', path }, leaving.signal);
      await readEvents(body?.pipeThrough(new TextDecoderStream()).getReader());
    } catch {
      // The mock was stopped, the network is down, the stream ended, or the page was hidden.
    }
    document.removeEventListener('visibilitychange', leave);
    if (leaving.signal.aborted) continue;
    lostSince.value ??= new Date();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function becomesVisible(): Promise<void> {
  while (document.hidden) {
    await new Promise((changed) =>
      document.addEventListener('visibilitychange', changed, { once: true }),
    );
  }
}

async function readEvents(reader?: ReadableStreamDefaultReader<string>): Promise<void> {
  let rest = '';
  for (let isFirst = true; ; isFirst = false) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return;
    // From here on, no event is missed.
    if (isFirst) await begin();
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    batch(() => blocks.forEach(receive));
  }
}

/** When the mock started whose entries the page has. */
let startedAt = '';
/** Whether the entries that the next reload finds are not counted yet. */
let isNew = true;

async function begin(): Promise<void> {
  const overview = await read<Overview>('/');
  // It may have been replaced. What the user reads of the same mock stays.
  if (overview.startedAt !== startedAt) forget();
  startedAt = overview.startedAt;
  isNew = true;
  lostSince.value = null;
  refresh();
  reload();
  loadPhones();
  stateChanged();
}

function forget(): void {
  requests.list.value = [];
  attempts.list.value = [];
  contents.value = new Map();
  rates.clear();
  clearPhones();
  missed.value = 0;
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
    if (!contents.peek().has(content.id)) readContents();
  } else if (event === 'dropped') {
    missed.value += content.count;
    rates.add(Date.now(), content.count);
    reload();
  } else if (event === 'change') {
    if (content.what === 'state') stateChanged();
    else if (content.what === 'requests') reload();
    else if (content.what === 'prompts') loadPhones();
    else refresh();
    // Its script, or its journal.
    if (content.what === 'webhooks') reload();
  }
}
