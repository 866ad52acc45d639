import { execFileSync } from 'node:child_process';

/** Tests of the command run what is built, so it is built from the sources that are tested. */
export default function build(): void {
  const script = process.env.TEST_BUILD ?? 'build';
  execFileSync('npm', ['run', '--silent', script], { stdio: 'inherit' });
}
