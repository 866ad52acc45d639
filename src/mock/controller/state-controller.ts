import type { ClockChange } from '../clock/clock-change.ts';
import type { ClockState } from '../clock/clock-time.ts';
import type { Mock } from '../mock.ts';
import { CallbackController } from './callback-controller.ts';
import { type ShownState, shownState } from './shown-state.ts';

/** What a test can query and change of the state and the clocks of handlers. */
export class StateController extends CallbackController {
  readonly #mock: Mock;

  constructor(mock: Mock) {
    super(mock);
    this.#mock = mock;
  }

  /**
   * The state of an account, or of the service. Configured keys in it are redacted.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  state(key: string | undefined): ShownState {
    return shownState(this.scope(key).state, this.#mock.redactor);
  }

  /**
   * What the clock of an account, or of the service, tells about itself.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`
   */
  clock(key: string | undefined): ClockState {
    return this.scope(key).clock.state;
  }

  /**
   * Freezes and moves the clock of an account, or of the service with those of all accounts.
   * Resolves when everything that came due has run.
   *
   * @throws MomoMockError `MOMO_MOCK_ACCOUNT_UNKNOWN`, `MOMO_MOCK_REQUEST_INVALID` if the clock would
   *   pass the end of the year 9999, `MOMO_MOCK_TIMER_FAILED`
   */
  async changeClock(key: string | undefined, { freeze, advance }: ClockChange): Promise<void> {
    const { clock } = this.scope(key);
    if (advance !== undefined) clock.checkAdvance(advance);
    if (freeze !== undefined) clock.freeze(freeze);
    if (advance !== undefined) await clock.advance(advance);
  }
}
