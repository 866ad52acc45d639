import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FREE_PORTS, spawnCommand, usedFolder } from '../support/command.ts';

/**
 * Preloaded into the command: writes to `LOG` what costs a startup time, until the first output, which
 * is the ready record. What is loaded after it, such as the watch of the fixtures, is not startup.
 */
const RECORDER = `
  const fs = require('node:fs');
  const { appendFileSync, readFileSync, write, writeSync } = fs;
  const { basename, dirname } = require('node:path');
  let isReady = false;
  const say = (line) => isReady || appendFileSync(process.env.LOG, line + '\\n');
  // The loader reads each part of the program with it.
  fs.readFileSync = (path, ...rest) => {
    const file = String(path);
    const isPart = file.endsWith('.cjs') && basename(dirname(file)) === 'dist';
    if (isPart) say('loads ' + basename(file));
    return readFileSync(path, ...rest);
  };
  for (const [name, call] of Object.entries({ write, writeSync })) {
    fs[name] = (fd, ...rest) => {
      if (fd === 1) {
        say('ready');
        isReady = true;
      }
      return call(fd, ...rest);
    };
  }
  for (const holder of [Intl, ...[Array, BigInt, Date, Number, String].map((of) => of.prototype)]) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      const usesLocale = holder === Intl || /^(toLocale|localeCompare)/.test(name);
      if (!usesLocale || typeof holder[name] !== 'function') continue;
      holder[name] = new Proxy(holder[name], {
        apply: (target, self, args) => (say('uses ' + name), Reflect.apply(target, self, args)),
        construct: (target, args) => (say('uses ' + name), new target(...args)),
      });
    }
  }`;

const LOADER = ['cli.cjs', 'program.cjs', 'load.cjs'].map((file) => `loads ${file}`);

/** What `serve` loads and formats until it is ready, apart from the loader. */
async function startup(...flags: string[]): Promise<string[]> {
  const cwd = usedFolder();
  const [recorder, log] = [join(cwd, 'recorder.cjs'), join(cwd, 'startup.log')];
  writeFileSync(recorder, RECORDER);
  const env = {
    MOMO_MOCK_CERTS_DIR: 'certs',
    NODE_OPTIONS: `--require=${JSON.stringify(recorder)}`,
    LOG: log,
  };
  await (await spawnCommand(['serve', ...FREE_PORTS, ...flags], { cwd, env })).ready;
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  return lines.filter((line) => !LOADER.includes(line));
}

// See "What loads when" in CONTRIBUTING.
it.each<[flags: string[], loads: string[]]>([
  [[], []],
  [
    ['--preset', 'chipdeals'],
    ['loads tree-import.cjs', 'loads schemas.cjs'],
  ],
])(
  'serve with the flags %j loads one part of the bundle, the modules that its fixtures need, and no locale',
  async (flags, loads) => {
    expect(await startup(...flags)).toEqual(['loads momo-mock.cjs', ...loads, 'ready']);
  },
);
