import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { ask, control } from '../support/client.ts';
import { describeUnless } from '../support/machine.ts';
import { startMock, type TestMock } from '../support/mock.ts';
import { NOTIFY, notify, startWebhook } from '../support/webhook.ts';

/** Reads metrics with the client of Prometheus for Python: what is not valid fails. */
const PARSE = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
samples = [[s.name, s.labels, s.value] for family in text_string_to_metric_families(sys.stdin.read())
           for s in family.samples if s.value == s.value]
json.dump(samples, sys.stdout)`;

const PACKAGE = new URL('../../dist/index.js', import.meta.url);
const PYTHON = '/usr/bin/python3';
const NO_PARSER =
  'prometheus_client of Python is not installed: apt-get install python3-prometheus-client';

function hasParser(): boolean {
  try {
    execFileSync(PYTHON, ['-c', 'import prometheus_client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

type Sample = [name: string, labels: Record<string, string>, value: number];

async function scrape(mock: Pick<TestMock, 'controlUrl'>, headers = {}): Promise<Sample[]> {
  const { status, headers: sent, text } = await control(mock, 'GET /metrics', { headers });
  expect([status, sent['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return JSON.parse(execFileSync(PYTHON, ['-c', PARSE], { input: text, encoding: 'utf8' }));
}

/** The value of a metric, of those whose labels have these values. */
function metric(samples: readonly Sample[], name: string, labels = {}): number | undefined {
  const found = samples.filter(
    ([of, its]) =>
      of === `momo_mock_${name}` &&
      Object.entries(labels).every(([label, value]) => its[label] === value),
  );
  expect(found.length).toBeLessThan(2);
  return found[0]?.[2];
}

describeUnless(hasParser() ? undefined : NO_PARSER, 'GET /metrics', () => {
  it('counts requests by status, and by reason or fault, with their duration', async () => {
    const mock = await startMock({}, { control: true });
    await scrape(mock);
    await ask(mock);
    await ask(mock);
    await mock.respondWith([{ status: 503 }, { fault: 'reset' }]);
    await ask(mock);
    await ask(mock).catch(() => {});
    await ask({ ...mock, apiKey: 'wrong' });
    await mock.requests({ waitFor: 5, ended: true });
    for (const samples of [await scrape(mock), await scrape(mock)]) {
      const counted = (labels: object) => metric(samples, 'requests_total', labels);
      expect(counted({ status: '200', reason: '' })).toBe(2);
      expect(counted({ status: '503', reason: '' })).toBe(1);
      expect(counted({ status: '', reason: 'reset' })).toBe(1);
      expect(counted({ status: '401', reason: 'key-unknown' })).toBe(1);
      const time = metric(samples, 'requests_seconds_total', { status: '200' });
      expect(time).toBeGreaterThan(0);
      expect(time).toBeLessThan(60);
    }
  });

  it('shows the CPU, the memory, the event loop and the version of the process', async () => {
    const mock = await startMock({}, { control: true });
    const [before, after] = [await scrape(mock), await scrape(mock)].map(
      (samples) => new Map(samples.map(([name, , value]) => [name, value])),
    );
    expect(before?.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(before?.get('nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6);
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_active_seconds_total']) {
      expect(after?.get(name), name).toBeGreaterThan(before?.get(name) ?? Infinity);
    }
    const { timeOrigin } = performance;
    // The clock of the machine may have been set in between.
    expect(before?.get('process_start_time_seconds')).toBeCloseTo(timeOrigin / 1000, -3);
    const [, labels] = (await scrape(mock)).find(([name]) => name === 'nodejs_version_info') ?? [];
    expect(labels).toEqual({ version: process.version });
  });

  it('costs nothing when nobody reads it, or after the mock is closed', async () => {
    const code = `
      import { PerformanceObserver } from 'node:perf_hooks';
      import { startMomoMock } from '${PACKAGE}';
      let observers = 0;
      const { observe } = PerformanceObserver.prototype;
      PerformanceObserver.prototype.observe = function (...args) {
        observers++;
        return observe.apply(this, args);
      };
      const mock = await startMomoMock({ control: true });
      console.log((await fetch(mock.controlUrl + '/metrics', { headers: { connection: 'close' } })).status);
      await mock.close();
      console.log(observers);`;
    const args = ['--input-type=module', '-e', code];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('200\n0\n');
  });

  it('shows connections, dropped entries, timers, webhooks and errors', async () => {
    const later = `export default (_, { after }) => { after(1e9, () => {}); };`;
    const files = { ...NOTIFY, 'momo/later.post.js': later };
    const mock = await startMock(files, { control: true, journalSize: 3 });
    const { url } = await startWebhook();
    await mock.freeze();
    for (const path of ['/momo/later', '/momo/later']) await ask(mock, path, { method: 'POST' });
    await notify(mock, { url });
    await notify(mock, { url: 'http://127.0.0.1:1/' });
    const { pending } = (await control(mock, 'GET /clock')).json as { pending: number };
    const before = await scrape(mock);
    expect(metric(before, 'timers_pending')).toBe(pending);
    expect(metric(before, 'webhooks_pending')).toBe(2);
    expect(metric(before, 'journal_dropped_total', { journal: 'requests' })).toBe(1);
    const socket = connect(Number(new URL(mock.url).port), '127.0.0.1');
    await expect.poll(async () => metric(await scrape(mock), 'connections')).toBe(1);
    socket.destroy();
    await mock.advance(0);
    await mock.webhooks({ waitFor: 2 });
    const after = await scrape(mock);
    const silent = await startWebhook(null);
    await mock.unfreeze();
    await notify(mock, { url: silent.url });
    await expect.poll(async () => metric(await scrape(mock), 'webhooks_pending')).toBe(1);
    expect(metric(after, 'webhook_attempts_total', { outcome: '200' })).toBe(1);
    expect(metric(after, 'webhook_attempts_total', { outcome: 'connection-failed' })).toBe(1);
    expect(metric(after, 'webhook_attempts_seconds_total', { outcome: '200' })).toBeGreaterThan(0);
    expect(metric(after, 'uncaught_errors_total')).toBe(0);
  });

  it('has every metric that the page and the dashboard name, and the page names all of momo-mock', async () => {
    const mock = await startMock({}, { control: true });
    const { text } = await control(mock, 'GET /metrics');
    const named = (document: string) => [
      ...new Set(
        [...document.matchAll(/\b(?:momo_mock|process|nodejs)_\w+/g)].map(([name]) => name),
      ),
    ];
    const there = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    const page = named(readFileSync('docs/logs.md', 'utf8'));
    expect(there).toEqual(expect.arrayContaining(page));
    const own = there.filter((name) => name?.startsWith('momo_mock_'));
    expect(page).toEqual(expect.arrayContaining(own));
    const dashboard = readFileSync('examples/grafana/momo-mock.json', 'utf8');
    expect(there).toEqual(expect.arrayContaining(named(dashboard)));
    const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] };
    expect(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join()).toContain(
      'momo_mock_requests_total{job="$job"}',
    );
  });

  it('has no value of a client in its labels', async () => {
    const files = { 'momo/status/[reference].get.json': {} };
    const mock = await startMock(files, { control: true });
    const sent = 'sekret47';
    await ask(mock, `/momo/status/${sent}?${sent}=${sent}`, { headers: { [sent]: sent } });
    await ask(mock, `/${sent}`);
    await ask(mock, '/momo/balance', { method: 'PURGE', body: sent });
    await ask({ ...mock, apiKey: sent });
    const { text } = await control(mock, 'GET /metrics');
    expect(text).toContain('momo_mock_requests_total{status="404",reason="unknown-path"} 1');
    expect(text).not.toMatch(new RegExp(`${sent}|PURGE|${mock.apiKey}`));
  });

  it('requires the token, if one is set', async () => {
    const mock = await startMock({}, { control: { token: 'sekret' } });
    expect((await control(mock, 'GET /metrics')).status).toBe(401);
    expect(await scrape(mock, { authorization: 'Bearer sekret' })).not.toHaveLength(0);
  });
});
