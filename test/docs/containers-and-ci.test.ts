import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { cleanEnv } from '../package/installed.ts';
import { PRIVATE_KEY } from '../package/private-key.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { COMMANDS, HEALTH_TIMEOUT_MS, PREFIX, SETTINGS } from '../support/program.ts';
import { blockOf, ROOT, readDocument, rowsBelow } from './documents.ts';

const DOCKERFILE = readDocument('Dockerfile').replaceAll(/\\\n\s*/g, '');
const PAGE = readDocument('docs/containers-and-ci.md');

/** What stands behind an instruction, each time that it is given. */
function given(instruction: string): string[] {
  const found = DOCKERFILE.matchAll(new RegExp(`^${instruction} +(.+)$`, 'gm'));
  return [...found].map(([, rest = '']) => rest.trim());
}

function entryPoint(): string[] {
  return JSON.parse(given('ENTRYPOINT')[0] ?? '[]');
}

const exposed = given('EXPOSE').flatMap((ports) => ports.split(' '));
const env = given('ENV')
  .flatMap((line) => line.split(/\s+/))
  .map((pair) => pair.split('='));

it('the image exposes the default ports, and the page publishes them', () => {
  const defaults = [SETTINGS.PORT, SETTINGS.CONTROL_PORT].map(({ schema }) => `${schema.default}`);
  const published = [...PAGE.matchAll(/ -p (?:[\d.]+:)?\d+:(\d+)/g)].map(([, port]) => port);
  expect(exposed).toEqual(defaults);
  expect(published).toEqual(defaults);
});

it('the image sets only settings that exist', () => {
  const names = env.map(([name = '']) => name).filter((name) => name.startsWith(PREFIX));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !(name.slice(PREFIX.length) in SETTINGS))).toEqual([]);
});

it('the image keeps the certificate in its volume, and the page mounts it and the fixtures', () => {
  const [certs] = given('VOLUME');
  const fixtures = `${given('WORKDIR').at(-1)}/fixtures`;
  expect(Object.fromEntries(env)).toMatchObject({ MOMO_MOCK_CERTS_DIR: certs });
  for (const [shown, folder] of [
    [PAGE, '$PWD/fixtures'],
    [blockOf(PAGE, 'yaml compose'), './fixtures'],
  ] as const) {
    expect(shown).toContain(`certs:${certs}`);
    expect(shown).toContain(`${folder}:${fixtures}:ro`);
  }
});

it('the image runs as the user that the page names, and its health check is an existing command', () => {
  const [user] = given('USER');
  const [health = ''] = given('HEALTHCHECK');
  const words: string[] = JSON.parse(/CMD (.+)$/.exec(health)?.[1] ?? '[]');
  const [name, text] =
    rowsBelow(PAGE, 'Configure the container').find(([name]) => name === 'user') ?? [];
  expect(`${name} ${text}`).toMatch(new RegExp(`^user ${user?.split(':')[0]};`));
  expect(COMMANDS).toContain(words.at(-1));
  expect(words.slice(0, -1)).toEqual([basename(entryPoint().at(-1) ?? '')]);
});

it('the image gives the heap the part of the memory that the page names, for each command', () => {
  const [, text] =
    rowsBelow(PAGE, 'Configure the container').find(([name]) => name === 'memory') ?? [];
  expect(text).toContain("at most half of the container's memory limit");
  expect(entryPoint().slice(0, -1)).toEqual(['node', '--max-old-space-size-percentage=50']);
});

it('the image gives up a health check later than the command does', () => {
  const [, seconds] = /--timeout=(\d+)s/.exec(given('HEALTHCHECK')[0] ?? '') ?? [];
  expect(Number(seconds) * 1000).toBeGreaterThan(HEALTH_TIMEOUT_MS);
});

it('the image has the command of the entry point on its PATH', () => {
  const [link] = given('RUN').filter((line) => line.includes('ln -s'));
  expect(link).toContain(
    `chmod +x dist/cli.cjs && ln -s /opt/momo-mock/dist/cli.cjs ${entryPoint().at(-1)}`,
  );
  expect(entryPoint().at(-1)).toBe('/usr/local/bin/momo-mock');
});

it('the build step compiles the program beside a running mock', async () => {
  const [step = ''] = /\{ node dist.*\}/.exec(DOCKERFILE) ?? [];
  const folder = temporaryFolder();
  for (const name of ['dist', 'fixtures', 'presets', 'package.json']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  rmSync(join(folder, 'dist/compiled'), { recursive: true, force: true });
  mkdirSync(join(folder, 'fixtures/momo'), { recursive: true });
  for (const { schema } of [SETTINGS.PORT, SETTINGS.CONTROL_PORT]) {
    const server = createServer().listen(Number(schema.default), 'localhost');
    onTestFinished(() => void server.close());
    // On a machine where it is taken, something else listens there.
    await once(server, 'listening').catch(() => {});
  }
  const script = step.replaceAll('/tmp/', `${folder}/`);
  await promisify(execFile)('sh', ['-c', script], { cwd: folder, env: cleanEnv() });
  const compiled = readdirSync(join(folder, 'dist/compiled'), { recursive: true });
  expect(compiled.join()).toMatch(/control-.*\.bin/);
});

const copied = given('COPY')
  .filter((rest) => !rest.startsWith('--from'))
  .flatMap((rest) => rest.split(' ').slice(0, -1));

it('the Dockerfile copies what the build needs', () => {
  expect(copied).toEqual(expect.arrayContaining(['build', 'src', 'tsconfig.build.json']));
});

it('the Dockerfile copies existing files that .dockerignore lets through', () => {
  const allowed = readDocument('.dockerignore').split('\n');
  expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(copied.filter((path) => !allowed.includes(`!${path}`))).toEqual([]);
});

it('the image includes no file that holds a private key, and no folder where one is kept', () => {
  const allowed = readDocument('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'));
  const taken = allowed.flatMap((line) => filesOf(join(ROOT, line.slice(1))));
  expect(taken.length).toBeGreaterThan(100);
  const holding = taken.filter((file) => PRIVATE_KEY.test(readFileSync(file, 'latin1')));
  expect(holding).toEqual([]);
  expect(taken.filter((file) => /\.(?:pem|key|p12|pfx|env)$|(?:^|\/)certs\//.test(file))).toEqual(
    [],
  );
  // What is not named there is left out: the rule is the first that holds for all.
  expect(readDocument('.dockerignore')).toMatch(/^(?:#.*\n)*\*\n/);
  expect(DOCKERFILE).not.toMatch(/^ADD |cli\.js cert\b/m);
});

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesOf(join(path, name)));
}
