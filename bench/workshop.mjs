import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild, startChild } from './children.mjs';

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * A folder where all is measured, so that nothing in the project is touched: with a copy of what
 * is published, a certificate for all sides, and the answer that all give.
 */
export async function openWorkshop() {
  const folder = mkdtempSync(join(tmpdir(), 'momo-mock-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'package');
  for (const part of ['dist', 'fixtures', 'package.json']) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  }
  rmSync(join(copy, 'dist/compiled'), { recursive: true, force: true });
  let folders = 0;
  const workshop = {
    folder,
    cli: join(copy, 'dist/cli.cjs'),
    library: join(copy, 'dist/index.js'),
    compiled: join(copy, 'dist/compiled'),
    certs: join(folder, 'certs'),
    cert: join(folder, 'certs/momo-mock.pem'),
    key: join(folder, 'certs/momo-mock-key.pem'),
    answer: join(copy, 'fixtures/momo/balance.get.json'),
    /** A new, empty folder. */
    newFolder: () => {
      const made = join(folder, `${folders++}`);
      mkdirSync(made);
      return made;
    },
  };
  const cwd = workshop.newFolder();
  await runChild(process.execPath, [workshop.cli, 'cert', '--certs-dir', workshop.certs], { cwd });
  const again = (other = workshop) => compile(other);
  await again();
  return { ...workshop, compile: again, body: readFileSync(workshop.answer, 'utf8').trimEnd() };
}

/** Starts it until what it compiled is kept. */
async function compile({ cli, certs, compiled, newFolder }) {
  const ports = ['--port', '0', '--control-port', '0'];
  const args = [cli, ...ports, '--certs-dir', certs];
  const child = startChild(process.execPath, args, { cwd: newFolder(), stdio: 'ignore' });
  for (let tries = 0; !existsSync(compiled) && tries < 300; tries++) {
    await new Promise((done) => setTimeout(done, 100));
  }
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await ended;
}
