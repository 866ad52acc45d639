import { expect, it } from 'vitest';
import { runMock } from '../support/running-mock.ts';
import { openInNode } from './page-in-node.ts';

it('a hidden page gives back its connection, and then shows what came in between', async () => {
  const mock = await runMock();
  const page = await openInNode(mock.controlUrl ?? '');
  const streams = () => page.requested.filter((path) => path.startsWith('/events'));
  await page.says('Waiting for the first request');
  await mock.get('/momo/balance?apikey=good');
  await page.click('requests/button GET /momo/balance');
  await page.says('Copy as curl');

  page.hide(true);
  await mock.get('/momo/balance?apikey=good');
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
