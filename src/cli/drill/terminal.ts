import type { DrillReport, DrillResult } from '../../drill/drill.ts';
import { painter } from '../terminal-log.ts';
import { resultText, summaryText } from './results.ts';

const CLEAR_LINE = '\r\x1b[2K';

/** Writes a line for each failure as it ends; at a terminal, also which ones run. */
export class DrillTerminal {
  readonly #total: number;
  readonly #redact: (text: string) => string;
  readonly #paint = painter(process.stdout);
  readonly #began = performance.now();
  readonly #running = new Set<string>();
  #ended = 0;

  constructor(total: number, redact: (text: string) => string) {
    this.#total = total;
    this.#redact = redact;
    // The exit code and the reports matter, too.
    process.stdout.on('error', () => {});
  }

  begin(name: string): void {
    this.#running.add(name);
    this.#write('');
  }

  end(result: DrillResult): void {
    this.#running.delete(result.name);
    this.#ended++;
    this.#write(`${resultText(result, [this.#ended, this.#total], this.#paint)}\n`);
  }

  finish(report: DrillReport): void {
    const seconds = ((performance.now() - this.#began) / 1000).toFixed(0);
    const notRun = this.#total - this.#ended;
    const why =
      notRun > 0 ? `\n${notRun} were not run, because success has to be right before them.` : '';
    this.#write(`\n${summaryText(report)} (${seconds} s)${why}\n`);
  }

  /** Removes what shows which failures run. */
  stop(): void {
    this.#running.clear();
    this.#write('');
  }

  #write(text: string): void {
    const { stdout } = process;
    const names = [...this.#running].join(', ');
    const running = names === '' ? '' : this.#paint('gray', `… ${names}`);
    const shown = stdout.isTTY ? `${CLEAR_LINE}${text}${running}` : text;
    if (shown !== '') stdout.write(this.#redact(shown));
  }
}
