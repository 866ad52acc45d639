import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/**
 * Puts another function in the place of one of Node's until the test is over: what a machine without
 * the network, without memory or with another clock would do.
 *
 * @param module the default export of a module of Node
 */
export function replaceBuiltin<Name extends string>(
  module: { readonly [name in Name]: unknown },
  name: Name,
  by: (...args: never[]) => unknown,
): void {
  const original = module[name];
  const put = (value: unknown) => {
    Object.assign(module, { [name]: value });
    syncBuiltinESMExports();
  };
  put(by);
  onTestFinished(() => put(original));
}
