import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { ROOT } from './workshop.mjs';

/** What a run was made on, and of which state of the project. */
export function describeRun({ rounds, quick }) {
  const [cpu] = cpus();
  return {
    date: new Date().toISOString(),
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memory: `${(totalmem() / 2 ** 30).toFixed(1)} GB`,
    system: `${type()} ${release()}`,
    node: process.version,
    load: loadavg().map((load) => load.toFixed(2)),
    commit: git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'src') && '+'),
    rounds,
    ...(quick && { quick }),
  };
}

function git(...args) {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
}
