import { relative } from 'node:path';
import { DEFAULT_KEY } from '../config/api-keys.ts';
import type { MockServer } from '../server.ts';

/** What a person at a terminal needs once the mock is up: where it is, and how to ask it. */
export function banner(mock: MockServer, isDefaultKey: boolean): string {
  const { url, certificate } = mock;
  const file = certificate.file && shortest(certificate.file);
  const key = isDefaultKey ? DEFAULT_KEY : '<your key>';
  return `
  service      ${url}/momo/balance
  certificate  ${file ?? inMemory(mock)}
  try it       curl ${trust(mock, file)} "${url}/momo/balance?apikey=${key}"

`;
}

function inMemory({ controlUrl }: MockServer): string {
  return controlUrl === null
    ? 'in memory only'
    : `in memory only, ${controlUrl}/certificate has it`;
}

function trust({ controlUrl }: MockServer, file: string | null): string {
  if (file !== null) return `--cacert ${/^[\w./-]+$/.test(file) ? file : `'${file}'`}`;
  return controlUrl === null ? '--insecure' : `--cacert <(curl -s ${controlUrl}/certificate)`;
}

function shortest(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith('..') ? file : near;
}
