import { describe, expect, it, vi } from 'vitest';
import { startServer } from '../support/mock.ts';
import { expectAccessible, withChromium } from './chromium.ts';

// Chromium takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const open = withChromium();

/** A mock that asks the payers of two accounts. */
async function startAsking() {
  const mock = await startServer({}, { API_KEYS: 'good,other' });
  const chosen: string[] = [];
  const ring = (key: string, text = 'Pay 1,000 XOF', timeout?: number) => {
    const title = key === 'good' ? '22990000001' : '22990000002';
    const asked = { title, text, choices: ['approve', 'no-funds', 'cancel'] };
    const onEnd = (choice = 'none') => chosen.push(`${key}: ${choice}`);
    mock.mock.account(key).prompts.ask({ ...asked, ...(timeout && { timeout }) }, onEnd, {});
  };
  return { mock, chosen, ring };
}

describe('the phones of the live page', () => {
  it('ring for each account, are announced, and are answered with only the keyboard', async () => {
    const { mock, chosen, ring } = await startAsking();
    const { page } = await open({}, mock);
    const region = page.getByRole('region', { name: 'Phones' });
    await region.waitFor({ state: 'attached' });
    expect(await region.getByRole('button').count()).toBe(0);
    ring('good');
    const status = region.getByRole('status');
    await expect
      .poll(() => status.textContent())
      .toBe('account-1 is asked: 22990000001. Pay 1,000 XOF');
    ring('other');
    await expect.poll(() => status.textContent()).toContain('account-2 is asked');
    const phones = region.getByRole('listitem');
    expect(await phones.allInnerTexts()).toEqual([
      expect.stringMatching(/^account-1, [\d:]{8}\s+22990000001\s+Pay 1,000 XOF\s+Approve/),
      expect.stringMatching(/^account-2, [\d:]{8}\s+22990000002\s+Pay 1,000 XOF\s+Approve/),
    ]);
    const focused = () => page.evaluate<string>('document.activeElement?.textContent ?? ""');
    for (let n = 0; n < 60 && (await focused()) !== 'Not enough money'; n++) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await expect.poll(() => phones.count()).toBe(1);
    expect(chosen).toEqual(['good: no-funds']);
    // Its button is gone, and the keyboard goes on from the heading.
    expect(await focused()).toBe('Phones');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Approve');
    // Somebody else chooses, or nobody: the focus is in the phone that goes.
    await mock.mock.all.prompts.answer(2, 'cancel');
    await expect.poll(focused).toBe('Phones');
    ring('good', 'Pay 2 XOF', 60_000);
    await page.keyboard.press('Tab');
    await expect.poll(() => phones.count()).toBe(1);
    await mock.mock.all.clock.advance(60_000);
    await expect.poll(() => phones.count()).toBe(0);
    expect(chosen).toEqual(['good: no-funds', 'other: cancel', 'good: none']);
    expect(await status.textContent()).toBe('');
  });

  it('are ignored on one page only', async () => {
    const { mock, chosen, ring } = await startAsking();
    const one = await open({}, mock);
    const two = await open({}, mock);
    ring('good');
    await one.page.getByRole('button', { name: 'Ignore' }).click();
    await two.page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await one.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(chosen).toEqual([]);
    await two.page.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => chosen).toEqual(['good: approve']);
    const command = `/prompts/1 -H 'content-type: application/json' -d '{"choice":"approve"}'`;
    await two.page.getByText('Approve: 22990000001.').waitFor();
    expect(await two.page.locator('.command code').innerText()).toContain(command);
  });

  it('are answered one at a time: a double click answers only the first', async () => {
    const { mock, chosen, ring } = await startAsking();
    const { page } = await open({}, mock);
    for (let n = 0; n < 3; n++) ring('good');
    const approve = page.getByRole('button', { name: 'Approve' });
    await expect.poll(() => approve.count()).toBe(3);
    const { x = 0, y = 0 } = (await approve.first().boundingBox()) ?? {};
    await page.mouse.click(x + 9, y + 9);
    // The second phone is where the first one was.
    await expect.poll(() => approve.count()).toBe(2);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.getByRole('button', { name: 'Cancel' }).first().click();
    await expect.poll(() => chosen.length).toBeGreaterThan(1);
    expect(chosen).toEqual(['good: approve', 'good: cancel']);
  });

  it('say that somebody else was quicker', async () => {
    const { mock, ring } = await startAsking();
    const { page } = await open({}, mock);
    ring('good');
    const approve = page.getByRole('button', { name: 'Approve' });
    await approve.waitFor();
    await page.route('**/prompts', (route) => route.abort());
    await mock.mock.all.prompts.answer(1, 'cancel');
    await approve.click();
    await page.getByText('Failed to find the prompt: no open one has this id.').first().waitFor();
    await page.unroute('**/prompts');
  });

  it('escape HTML, are accessible, fit, and are at most twelve at once', async () => {
    const { mock, ring } = await startAsking();
    const { page } = await open({}, mock);
    ring('good', '<img src=x onerror="document.title=1"> \u202e key: other');
    for (let n = 0; n < 13; n++) ring('other', 'x'.repeat(500));
    await page.getByText('2 more wait until these are gone.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(12);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).not.toBe('1');
    await expectAccessible(page);
  });
});
