import type { MomoAccount } from '../library/momo-mock.ts';
import { monotonicTime } from '../timers.ts';
import { TIMES } from './times.ts';

/** The clock of the account, which is frozen, so that only the drill moves it. */
export class ProviderClock {
  readonly #account: Pick<MomoAccount, 'advance' | 'clock'>;
  #advancing: Promise<unknown> | undefined;
  #advancedAt = -Infinity;
  /** When it last stopped, in ms. */
  movedAt = -Infinity;
  /** Why it could not move, if it could not. */
  error: unknown;

  constructor(account: Pick<MomoAccount, 'advance' | 'clock'>) {
    this.#account = account;
  }

  get isMoving(): boolean {
    return this.#advancing !== undefined;
  }

  /** Moves it in the background, because a webhook may take long. */
  advance(ms: number): void {
    this.#advancedAt = monotonicTime();
    this.#advancing = this.#account
      .advance(ms)
      .catch((error) => {
        this.error = error;
      })
      .finally(() => {
        this.#advancing = undefined;
        this.movedAt = monotonicTime();
      });
  }

  /** Moves it to what is due next, at most so far, in ms. */
  async moveToNext(most = Infinity): Promise<void> {
    if (this.isMoving) return;
    const { now, next } = await this.#account.clock();
    if (next === null || next - now > most) return;
    const wait = Math.max(0, next - now);
    if (wait > TIMES.shortWait.ms && monotonicTime() - this.#advancedAt < TIMES.slowLook.ms) return;
    this.advance(wait);
  }

  /** Whether a timer or a webhook is due that an application may still need. */
  async isDue(): Promise<boolean> {
    if (this.isMoving) return true;
    const { now, next } = await this.#account.clock();
    return next !== null && next - now <= TIMES.shortWait.ms;
  }
}
