import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../docs/documents.ts';
import { openNodeProject } from '../docs/node-project.ts';

const CONFIG = {
  compilerOptions: {
    checkJs: true,
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'nodenext',
    types: [],
  },
  include: ['fixtures'],
};

it.each(readdirSync('presets'))(
  'the handlers of the preset %s have the types of momo-mock, which find mistakes',
  (preset) => {
    const project = openNodeProject();
    mkdirSync(join(project.folder, 'fixtures'));
    cpSync(join(ROOT, 'presets', preset, 'fixtures'), join(project.folder, 'fixtures'), {
      recursive: true,
    });
    project.write('jsconfig.json', JSON.stringify(CONFIG));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const check = () => project.run(`node '${tsc}' -p jsconfig.json || true`);
    expect(check()).toBe('');
    const type = "/** @type {import('momo-mock').MomoHandler<{ body: { amount: number } }>} */";
    project.write(
      'fixtures/wrong.get.js',
      `${type}\nexport default ({ body }) => ({ status: '200', body: body.amuont });`,
    );
    expect(check()).toMatch(/'string' is not assignable[\s\S]*'amuont' does not exist/);
  },
);
