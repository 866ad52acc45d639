import { MomoMockError } from '../../errors.ts';
import type { MockAccess } from './mock-access.ts';
import { proxyVariables } from './proxy.ts';
import type { Redirect } from './redirect.ts';
import type { TrustFiles } from './trust.ts';

export interface CommandVariables {
  readonly assignments: readonly Assignment[];
  /** Whether to set the variables of the proxy. */
  readonly isProxied: boolean;
}

/** A variable from `--set`. Its placeholders are not filled in yet. */
export interface Assignment {
  readonly name: string;
  readonly template: string;
}

export const PLACEHOLDERS = [
  'url',
  'controlUrl',
  'apikey',
  'ca',
  'bundle',
  'port',
  'controlPort',
  'proxy',
] as const;

const PLACEHOLDER = /\{([A-Za-z]\w*)\}/g;

/** The values of the placeholders that this mock can fill in. */
type Facts = Readonly<Partial<Record<(typeof PLACEHOLDERS)[number], string>>>;

/**
 * Parses the values of `--set`, each `NAME=TEMPLATE`.
 *
 * @throws MomoMockError `MOMO_MOCK_USAGE`; no message repeats a template, which may contain a key
 */
export function readAssignments(texts: readonly string[]): Assignment[] {
  const results = texts.map((text): Assignment | string => {
    const [, name, template] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || template === undefined) {
      return 'Failed to read --set: the value is not NAME=TEMPLATE. Use one such as MOMO_BASE_URL={url}.';
    }
    const isKnown = (word: string) => PLACEHOLDERS.some((known) => known === word);
    if (placeholdersIn(template).every(isKnown)) return { name, template };
    const all = PLACEHOLDERS.map((known) => `{${known}}`).join(', ');
    return `Failed to read --set ${name}: unknown placeholder. Use only ${all}.`;
  });
  const problems = results.filter((result) => typeof result === 'string');
  if (problems.length > 0) {
    throw new MomoMockError('MOMO_MOCK_USAGE', [...new Set(problems)].join('\n'));
  }
  return results.filter((result) => typeof result !== 'string');
}

/** @throws MomoMockError `MOMO_MOCK_USAGE` if the mock has no value for a placeholder */
function fillIn({ name, template }: Assignment, facts: Facts): string {
  const values = new Map(Object.entries(facts));
  if (placeholdersIn(template).every((word) => values.has(word))) {
    return template.replace(PLACEHOLDER, (_all, word) => values.get(word) ?? '');
  }
  const text = `Failed to fill in --set ${name}: the control API is off. Remove its placeholder, or set MOMO_MOCK_CONTROL_PORT to a port (0 chooses a free one).`;
  throw new MomoMockError('MOMO_MOCK_USAGE', text);
}

/**
 * The environment of the command: this process's variables, variables to reach and trust the mock,
 * and the variables of `--set`, which override the others.
 *
 * @throws MomoMockError `MOMO_MOCK_USAGE` if `--set` or `--proxy` needs something that is off
 */
export function environmentFor(
  access: MockAccess,
  trust: TrustFiles,
  redirect: Redirect,
  { assignments, isProxied }: CommandVariables,
): NodeJS.ProcessEnv {
  const { server, apikey, proxy, file, env } = access;
  const facts = factsOf(access, trust);
  return {
    ...env,
    MOMO_MOCK_URL: server.url,
    MOMO_MOCK_CONTROL_URL: server.controlUrl ?? '',
    MOMO_MOCK_APIKEY: apikey,
    MOMO_MOCK_CA: file,
    ...trust.variables,
    ...redirect.variables,
    ...(isProxied && proxyVariables(proxy, server.certificate.leaf, env)),
    ...Object.fromEntries(
      assignments.map((assignment) => [assignment.name, fillIn(assignment, facts)]),
    ),
  };
}

function factsOf({ server, apikey, proxy, file }: MockAccess, { bundle }: TrustFiles): Facts {
  const { url, port, controlUrl } = server;
  return {
    url,
    port: String(port),
    apikey,
    ca: file,
    bundle,
    ...(controlUrl && { controlUrl, controlPort: new URL(controlUrl).port }),
    ...(proxy && { proxy }),
  };
}

function placeholdersIn(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, word = '']) => word);
}
