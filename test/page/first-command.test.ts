import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { needs } from '../support/machine.ts';
import { startServer } from '../support/mock.ts';
import { openInNode } from './page-in-node.ts';

const run = promisify(execFile);

it.for(['', 'chipdeals', 'mpesa-daraja', 'mtn-momo'])(
  'the command that the live page shows before the first request succeeds with the preset "%s"',
  async (PRESET, context) => {
    needs(context, 'curl');
    const mock = await startServer({}, { ...(PRESET && { PRESET }), API_KEYS: '' });
    const page = await openInNode(mock.controlUrl ?? '');
    const button = await page.find('requests/button Copy the command to try it');
    const line = button.parentElement?.querySelector('code')?.textContent ?? '';
    const { stdout } = await run('sh', ['-c', `${line} -s -o /dev/null -w '%{http_code}'`]);
    expect(stdout).toBe('200');
  },
);
