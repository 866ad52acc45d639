import { join } from 'node:path';
import { runProgram } from './compiled-code.ts';

/** What the bundle holds. Each part is run when it is asked for. */
interface Bundle {
  /** The command. */
  cli(): typeof import('../cli/main.ts');
  /** The library. */
  library(): typeof import('../index.ts');
  firstStart(): typeof import('../first-start.ts');
}

/** A hash of the bundle; put in by the build. */
declare const BUNDLE_HASH: string;

/** How long after the first start compiled code is kept, in ms: whoever waits for it comes first. */
const LATER = 1000;

const { exports: bundle, keep } = runProgram<Bundle>(
  {
    file: join(__dirname, 'momo-mock.cjs'),
    identity: BUNDLE_HASH,
    folder: join(__dirname, 'compiled'),
  },
  require,
);

if (keep !== undefined) {
  bundle.firstStart().onFirstStart(() => {
    const keepOnce = (): void => {
      clearTimeout(timer);
      process.off('exit', keepOnce);
      keep();
    };
    const timer = setTimeout(keepOnce, LATER).unref();
    process.once('exit', keepOnce);
  });
}

export const { cli, library } = bundle;
