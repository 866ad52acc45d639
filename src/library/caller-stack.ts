import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { MomoMockError } from '../errors.ts';
import { programFolder } from '../shipped/folders.ts';

/** The places of the package's own code: strict tests and matchers call a mock from there. */
const OWN = [programFolder + sep, `${pathToFileURL(programFolder)}/`];

type AnyFunction = (...args: never[]) => unknown;

/**
 * Runs a public function. Its errors get the stack of its caller: Node keeps ten frames, and with
 * those of the bundle first, test runners would not find the line of the test.
 *
 * @param called the public function, which the stack begins below
 */
export function atCaller<Result>(called: AnyFunction, run: () => Result): Result {
  // An error has the caller's frames only if it was created before anything is awaited.
  const caller = new Error();
  Error.captureStackTrace(caller, called);
  const moved = (error: unknown): unknown => {
    if (!(error instanceof MomoMockError)) return error;
    const [, ...frames] = `${caller.stack}`.split('\n');
    const others = frames.filter((frame) => !OWN.some((folder) => frame.includes(folder)));
    error.stack = [`${error.name}: ${error.message}`, ...others].join('\n');
    return error;
  };
  try {
    const result = run();
    if (!types.isPromise(result)) return result;
    return result.catch((error: unknown) => {
      throw moved(error);
    }) as Result;
  } catch (error) {
    throw moved(error);
  }
}

/** Makes {@link atCaller} run all functions and getters of an object, also of those in `state`. */
export function withCallerStacks<Members extends object>(members: Members): Members {
  for (const name of Reflect.ownKeys(members)) {
    const property = Object.getOwnPropertyDescriptor(members, name) ?? {};
    const { value, get } = property;
    if (typeof value === 'function') {
      property.value = function called(...args: unknown[]): unknown {
        return atCaller(called, () => value(...args));
      };
    } else if (get !== undefined) {
      property.get = function called(): unknown {
        return atCaller(called, get);
      };
    } else if (name === 'state') withCallerStacks(value);
    Object.defineProperty(members, name, property);
  }
  return members;
}
