import { spawn } from 'node:child_process';
import { once } from 'node:events';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  win32: 'explorer',
};

/**
 * Opens a URL in the browser. Rejects if no browser starts.
 *
 * The library `open` supports more systems. But its source is not ASCII, which would double the
 * memory for the bundle and slow down startup.
 *
 * @param url must not contain secrets, because process lists show it
 */
export async function openInBrowser(url: string): Promise<void> {
  const command = OPENERS[process.platform] ?? 'xdg-open';
  // The browser outlives the mock, and does not write to its output.
  const browser = spawn(command, [url], { detached: true, stdio: 'ignore' });
  browser.unref();
  await once(browser, 'spawn');
}
