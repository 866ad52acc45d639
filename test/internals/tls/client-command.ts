import { execFile, execFileSync } from 'node:child_process';

/** Whether a command is there; the arguments are ones with which it shows that. */
export function isInstalled([command = '', ...args]: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs a command to its end; rejects with its exit code and its words where that is not 0. */
export function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    // Without a locale Java finds no file whose path has other letters than ASCII.
    const options = { env: { ...process.env, LC_ALL: 'C.UTF-8', ...env } };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} exited with ${error.code}: ${stdout}${stderr}`));
      else resolve(stdout);
    });
    // s_client and gnutls-cli hang up at the end of their input, once they have verified.
    child.stdin?.end();
  });
}
