import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, start } from './in-process.ts';

test('shows the banner, warnings and requests at a terminal, and stops on a signal', async () => {
  const certsDir = emptyFolder();
  const flags = ['--port', '0', '--control-port', '0', '--certs-dir', certsDir];
  const { ended, output } = start([...flags, '--host', 'elsewhere.invalid'], { isTerminal: true });
  await expect
    .poll(output)
    .toContain('The service listens on localhost, because elsewhere.invalid');
  const text = output();
  expect(text).toContain(`certificate  ${join(certsDir, 'momo-mock.pem')}\n`);
  expect(text).toContain('?apikey=momo_test_key"');
  expect(text.indexOf('service ')).toBeLessThan(text.indexOf('! The service listens'));
  process.emit('SIGTERM');
  expect((await ended).code).toBe(0);
});
