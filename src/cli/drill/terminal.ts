import type { DrillReport, DrillResult } from '../../drill/result.ts';
import { painter } from '../terminal-log.ts';
import { resultText, summaryText } from './results.ts';

const CLEAR_LINE = '\r\x1b[2K';

/** Writes a line for each failure as it ends; at a terminal, also which ones run. */
export class DrillTerminal {
  readonly #total: number;
  readonly #paint = painter(process.stdout);
  readonly #began = performance.now();
  readonly #running = new Set<string>();
  #ended = 0;

  constructor(total: number) {
    this.#total = total;
    // The exit code and the reports matter, too.
    process.stdout.on('error', () => {});
  }

  begin(name: string): void {
    this.#running.add(name);
    this.#write('');
  }

  /** @param notes lines to write below the result */
  end(result: DrillResult, notes: readonly string[]): void {
    this.#running.delete(result.name);
    this.#ended++;
    const text = resultText(result, [this.#ended, this.#total], this.#paint);
    this.#write(`${[text, ...notes].join('\n')}\n`);
  }

  /** @param others what happened to the failures that have no result, and why */
  finish(report: DrillReport, others: string): void {
    const seconds = ((performance.now() - this.#began) / 1000).toFixed(0);
    const missing = this.#total - this.#ended;
    const line = missing > 0 ? `\n${missing} ${missing === 1 ? 'was' : 'were'} ${others}.` : '';
    this.#write(`\n${summaryText(report)} (${seconds} s)${line}\n`);
  }

  /** @returns which failures ran */
  stop(): readonly string[] {
    const names = [...this.#running];
    this.#running.clear();
    this.#write('');
    return names;
  }

  #write(text: string): void {
    const { stdout } = process;
    const names = runningIn([...this.#running], (stdout.columns || 80) - 3);
    const running = names === '' ? '' : this.#paint('gray', `… ${names}`);
    const shown = stdout.isTTY ? `${CLEAR_LINE}${text}${running}` : text;
    if (shown !== '') stdout.write(shown);
  }
}

/** On one line, because a second one would stay: the latest, since those before them are only watched. */
function runningIn(names: readonly string[], width: number): string {
  const first = names.findIndex((_, at) => names.slice(at).join(', ').length <= width);
  return names.slice(first).join(', ').slice(0, width);
}
