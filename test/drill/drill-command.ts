import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CLI } from '../support/command.ts';
import { type Call, type Ended, run } from '../support/command-in-process.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import type { DrillResult } from '../support/momo-mock.ts';

/** A report of the drill, as its JSON file has it. */
export interface Report {
  readonly flows: readonly string[];
  readonly survived: number;
  readonly failed: number;
  readonly notApplicable: number;
  readonly inconclusive: number;
  /** Where and why the drill stopped, if it did. */
  readonly stopped?: { readonly failure: string; readonly sentence: string };
  readonly failures: readonly DrillResult[];
}

export interface Drilled extends Ended {
  readonly folder: string;
  /** `undefined` if the drill stopped before a failure was judged. */
  readonly report: Report | undefined;
  /** The verdict of each failure, by name. */
  readonly verdicts: Readonly<Record<string, string>>;
}

/** Longer than any drill of `npm test`. */
const MAX_DRILL_MS = 280_000;

const at = (path: string) => `http://127.0.0.1:{port}${path}`;
const order = { id: '{order}', amount: '{amount}', currency: '{currency}', phone: '{phone}' };
const shop = (file: string) => `"${resolve('test/drill', file)}"`;

/** A shop in Python, by HTTP. */
export const PYTHON = {
  preset: 'chipdeals',
  start: `exec python3 ${shop('shop.py')} {port}`,
  ready: at('/health'),
  webhook: at('/webhooks'),
  env: { HOOK: '{webhook}', HOOK_SECRET: '{webhookSecret}' },
  pay: { url: at('/orders'), body: order },
  outcome: { url: at('/orders/{order}'), field: 'status', fulfilled: 'shipments' },
  reconcile: { url: at('/cron') },
};

/** A shop with the client library of the API for Node. */
export const NODE = {
  preset: 'chipdeals',
  start: `exec node ${shop('shop.mjs')}`,
  env: { PORT: '{port}' },
  pay: { url: at('/orders'), body: order },
  outcome: { url: at('/orders/{order}'), field: 'order.state', failed: ['canceled'] },
};

const php = (...words: string[]) => ({
  command: ['php', resolve('test/drill/shop.php'), ...words],
});

/** A shop in PHP without a server. */
export const PHP = {
  preset: 'chipdeals',
  env: { ORDERS: 'FOLDER' },
  pay: php('pay', '{order}', '{amount}', '{currency}', '{phone}'),
  outcome: { ...php('state', '{order}'), failed: ['refused'] },
  reconcile: php('cron'),
};

/** Writes a configuration, or its text, in which FOLDER is its folder. Returns the flags of the drill. */
export function configured(config: object | string, folder: string): string[] {
  const file = join(folder, 'config/drill.json');
  mkdirSync(join(folder, 'config'));
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  writeFileSync(file, text.replaceAll('FOLDER', folder));
  return ['--config', file];
}

/** How the drill is called. */
interface DrillCall extends Call {
  /** The failures to run. @default success */
  readonly only?: readonly string[] | 'all';
  /** More reports, as paths in its folder. */
  readonly reports?: readonly string[];
  /** More flags, in which FOLDER is its folder. */
  readonly flags?: readonly string[];
}

/** Runs the drill in this process. */
export async function drill(config: object | string, how: DrillCall = {}): Promise<Drilled> {
  return await runIn(temporaryFolder(), config, how, run);
}

/**
 * The same, each in a process of its own, so that the tests of a file can run at once.
 *
 * @param parent where their folders are, until all tests are over
 */
export function drillApart(parent: string): typeof drill {
  return async (config, how = {}) =>
    await runIn(mkdtempSync(join(parent, 'drill-')), config, how, runBuilt);
}

async function runBuilt(args: readonly string[], { env = {} }: Call = {}): Promise<Ended> {
  const options = { env: { ...process.env, ...env } as NodeJS.ProcessEnv, timeout: MAX_DRILL_MS };
  return await new Promise((done) => {
    execFile(process.execPath, [CLI, ...args], options, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

async function runIn(
  folder: string,
  config: object | string,
  { only = ['success'], reports = [], flags: given = [], ...call }: DrillCall,
  command: typeof run,
): Promise<Drilled> {
  const file = join(folder, 'report.json');
  const files = [file, ...reports.map((path) => join(folder, path))];
  const chosen = only === 'all' ? [] : ['--only', only.join(',')];
  const more = given.map((flag) => flag.replaceAll('FOLDER', folder));
  const flags = [...configured(config, folder), ...more, ...chosen];
  const args = ['drill', ...flags, ...files.flatMap((path) => ['--report', path])];
  const ended = await command(args, { ...call, env: { TMPDIR: folder, ...call.env } });
  const report: Report | undefined = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : undefined;
  const verdicts = report?.failures.map(({ name, verdict }) => [name, verdict]) ?? [];
  return { ...ended, folder, report, verdicts: Object.fromEntries(verdicts) };
}
