import { expect, it } from 'vitest';
import { ask } from '../support/client.ts';
import { startServer } from '../support/mock.ts';
import { openInNode } from './page-in-node.ts';

it('a hidden page gives back its connection, and then shows what came in between', async () => {
  const mock = await startServer();
  const page = await openInNode(mock.controlUrl ?? '');
  const streams = () => page.requested.filter((path) => path.startsWith('/events'));
  await page.says('Waiting for the first request');
  await ask(mock);
  await page.click('requests/button GET /momo/balance');
  await page.says('Copy as curl');

  page.hide(true);
  await ask(mock);
  page.hide(false);
  // It follows anew only after the first stream has ended.
  await expect.poll(streams).toHaveLength(2);
  await page.find('requests/button 1 new');
  // What the user reads stays.
  await page.says('Copy as curl');
  expect(page.window.document.body.textContent).not.toContain(
    'The connection to momo-mock is lost',
  );
});
