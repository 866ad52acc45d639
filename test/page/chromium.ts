import { spawnSync } from 'node:child_process';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import { startServer, type TestServer } from '../support/mock.ts';

const NOT_INSTALLED = 'browser is not installed: docs/recipes/browser.md';

const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Starts a mock with settings, unless one is given, and opens its live page. */
export type OpenLivePage = (
  settings?: Record<string, string>,
  mock?: Promise<TestServer> | TestServer,
) => Promise<{ mock: TestServer; page: Page }>;

/**
 * Starts Chromium for the tests of a file, which are skipped where it is not installed. Each page is
 * a visitor of its own; a test fails if a page of it complained about anything.
 */
export function withChromium(): OpenLivePage {
  const executablePath = findChromium();
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (executablePath === undefined) return;
    // Without its sandbox, which is not to be had in many containers.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(() => browser?.close());
  beforeEach(({ skip }) => skip(browser === undefined, NOT_INSTALLED));

  // A page is used again, since a new one takes a process of its own.
  const free: Page[] = [];
  return async (settings = {}, given = startServer({}, settings)) => {
    const mock = await given;
    const page = free.pop() ?? (await newPage(browser));
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(`${error}`));
    page.on('console', (message) => {
      // Chromium reports each response from 400 on, which the page shows itself.
      if (message.type() !== 'error' || /^Failed to load resource/.test(message.text())) return;
      errors.push(message.text());
    });
    onTestFinished(async () => {
      await page.goto('about:blank');
      page.removeAllListeners();
      free.push(page);
      expect(errors).toEqual([]);
    });
    await page.goto(`${mock.controlUrl}/`);
    return { mock, page };
  };
}

async function newPage(browser: Browser | undefined): Promise<Page> {
  if (browser === undefined) throw new Error(NOT_INSTALLED);
  const permissions = ['clipboard-read', 'clipboard-write'];
  // A context for each page, as for visitors who do not share anything.
  const context = await browser.newContext({ permissions, locale: 'en-GB', timezoneId: 'UTC' });
  return await context.newPage();
}

/** The path of Chromium, if it is installed. What Ubuntu calls so only says how to install it. */
function findChromium(): string | undefined {
  const search = `for name in chromium chromium-browser google-chrome; do
    "$name" --version >/dev/null 2>&1 && command -v "$name" && break
  done`;
  return spawnSync('sh', ['-c', search], { encoding: 'utf8' }).stdout?.trim() || undefined;
}

/** The texts of the rows with entries, as they are read. */
export async function rows(part: Page | Locator): Promise<string[]> {
  const texts = await part.locator('tbody .entry').allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

/** The first row with these words. */
export function row(part: Page | Locator, words: string | RegExp): Locator {
  return part.getByRole('row').filter({ hasText: words }).first();
}

/** Chooses the account that the controls are for. */
export async function chooseAccount(page: Page, id: string): Promise<void> {
  const select = page.getByLabel('Account', { exact: true });
  await select.selectOption(id);
  await expect.poll(() => select.inputValue()).toBe(id);
}

/** Holds that a page fits and is accessible: on a phone and a wide screen, in light and dark. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  for (const width of [360, 1600]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    // Of all rules, these are about colours.
    for (const [colorScheme, runOnly] of [['light'], ['dark', COLOR_RULES]] as const) {
      await page.emulateMedia({ colorScheme });
      const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
      const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`);
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((it) => it.html)}`);
      expect(found, `${width} px, ${colorScheme}`).toEqual([]);
    }
  }
}
