import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { type RunningMock, runMock } from '../support/running-mock.ts';

/** Files of a fixture tree: text as it is, anything else as JSON. */
export type Files = Readonly<Record<string, unknown>>;

/** Starts a mock with these files over the shipped ones. */
export async function runTree(
  files: Files,
  settings: Record<string, string> = {},
): Promise<RunningMock & { write(files: Files): void }> {
  const folder = temporaryFolder();
  const write = (more: Files): void => {
    for (const [path, content] of Object.entries(more)) {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  write(files);
  return { ...(await runMock({ FIXTURES_DIR: folder, ...settings })), write };
}

/** Sends JSON to an operation with the key `good`. */
export async function post(mock: RunningMock, path: string, body: unknown, key = 'good') {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const { status, body: answer } = await mock.get(`${path}?apikey=${key}`, {
    method: 'POST',
    headers,
    body: text,
  });
  return { status, body: answer };
}
