import { join } from 'node:path';
import { runProgram } from './compiled-code.ts';

/** What the program holds. Each part of it is run when it is asked for. */
interface Bundle {
  /** The command. */
  cli(): typeof import('../cli/main.ts');
  /** The library. */
  library(): typeof import('../index.ts');
  firstStart(): typeof import('../first-start.ts');
}

/** Hashes of the program and of the libraries that it loads late, by file; put in by the build. */
declare const HASHES: Readonly<Record<string, string>>;

/** When compiled code is kept, in ms after it was of use: whoever waits for that comes first. */
const LATER = 1000;

/** Runs a file of the bundle. */
function run<Exports>(name: string) {
  const program = {
    file: join(__dirname, name),
    identity: HASHES[name] ?? '',
    folder: join(__dirname, 'compiled'),
  };
  return runProgram<Exports>(program, requirePart);
}

/** For the bundle: its own files, and what Node has. */
const requirePart: NodeJS.Require = Object.assign((name: string) => {
  const file = name.slice('./'.length);
  if (!Object.hasOwn(HASHES, file)) return require(name);
  const { exports, keep } = run(file);
  keepLater(keep);
  return exports;
}, require);

function keepLater(keep: (() => void) | undefined): void {
  if (keep === undefined) return;
  const keepOnce = (): void => {
    clearTimeout(timer);
    process.off('exit', keepOnce);
    keep();
  };
  const timer = setTimeout(keepOnce, LATER).unref();
  process.once('exit', keepOnce);
}

const { exports: bundle, keep } = run<Bundle>('momo-mock.cjs');
// Not before: a process that only says its version has compiled next to nothing.
if (keep !== undefined) bundle.firstStart().onFirstStart(() => keepLater(keep));

export const { cli, library } = bundle;
