import { basename } from 'node:path';

/** What asks the real host in spite of a redirect, by the beginning of the program's name. */
const NOT_REDIRECTED: Readonly<Record<string, string>> = {
  bun: 'a Bun that ignores BUN_OPTIONS is redirected only in fetch',
  deno: 'without --allow-env and --allow-read, only fetch is redirected',
  java: "a client that does not read Java's proxy properties, such as Apache HttpClient, is not redirected",
  python:
    'clients that do not use socket, such as uvloop, are not redirected, nor is Python with -I, -E or -S',
  ruby: 'clients that look up names by themselves, and read no https_proxy, are not redirected',
};

/**
 * For the end of a run that redirects hosts, and whose command did not reach the mock.
 *
 * @returns `undefined` for a program of which nothing is known, such as npm
 */
export function unreachedLine(
  hosts: readonly string[],
  [program = '']: readonly string[],
): string | undefined {
  const name = Object.keys(NOT_REDIRECTED).find((known) => basename(program).startsWith(known));
  if (name === undefined || hosts.length === 0) return undefined;
  const why = NOT_REDIRECTED[name];
  return `If ${name} sent requests to ${hosts.join(', ')}, they reached the real host: ${why}. Set the base URL of the client, as in --set MOMO_BASE_URL={url}, or add an entry for the host to /etc/hosts.`;
}
