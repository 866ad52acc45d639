import { MomoMockError } from '../../errors.ts';
import type { MockAccess } from './mock-access.ts';
import { proxyVariables } from './proxy.ts';

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

type Placeholder = (typeof PLACEHOLDERS)[number];

const PLACEHOLDER = /\{([A-Za-z]\w*)\}/g;

/**
 * Parses the values of `--set`, each `NAME=TEMPLATE`.
 *
 * @throws MomoMockError `MOMO_MOCK_USAGE`; no message repeats a template, which may contain a key
 */
export function readAssignments(texts: readonly string[]): Assignment[] {
  const problems = new Set<string>();
  const assignments = texts.map((text) => {
    const [, name = '', template = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
    if (name === '') {
      problems.add(
        'Failed to read --set: the value is not NAME=TEMPLATE. Use one such as MOMO_BASE_URL={url}.',
      );
    }
    const words = Array.from(template.matchAll(PLACEHOLDER), ([, word]) => word);
    if (!words.every((word) => PLACEHOLDERS.some((known) => known === word))) {
      const all = PLACEHOLDERS.map((known) => `{${known}}`).join(', ');
      problems.add(`Failed to read --set ${name}: unknown placeholder. Use only ${all}.`);
    }
    return { name, template };
  });
  if (problems.size === 0) return assignments;
  throw new MomoMockError('MOMO_MOCK_USAGE', [...problems].join('\n'));
}

/**
 * The environment of the command: this process's variables, variables to reach and trust the mock,
 * and the variables of `--set`, which override the others.
 *
 * @param variables those that make it trust the mock, and redirect hosts to it
 * @throws MomoMockError `MOMO_MOCK_USAGE` if `--set` or `--proxy` needs something that is off
 */
export function environmentFor(
  { server, apiKey: apikey, proxy, file: ca }: MockAccess,
  bundle: string,
  variables: Readonly<Record<string, string>>,
  options: { readonly assignments: readonly Assignment[]; readonly isProxied: boolean },
): NodeJS.ProcessEnv {
  const { url, controlUrl } = server;
  const facts: Record<Placeholder, string | undefined> = {
    url,
    controlUrl: controlUrl ?? undefined,
    apikey,
    ca,
    bundle,
    port: String(server.port),
    controlPort: controlUrl === null ? undefined : new URL(controlUrl).port,
    proxy,
  };
  const fillIn = ({ name, template }: Assignment) =>
    template.replace(PLACEHOLDER, (_all, word: Placeholder) => {
      const fact = facts[word];
      if (fact !== undefined) return fact;
      throw new MomoMockError(
        'MOMO_MOCK_USAGE',
        `Failed to fill in --set ${name}: the control API is off. Remove its placeholder, or set MOMO_MOCK_CONTROL_PORT to a port (0 chooses a free one).`,
      );
    });
  return {
    ...process.env,
    MOMO_MOCK_URL: url,
    MOMO_MOCK_CONTROL_URL: controlUrl ?? '',
    MOMO_MOCK_APIKEY: apikey,
    MOMO_MOCK_CA: ca,
    ...variables,
    ...(options.isProxied && proxyVariables(proxy, server.certificate.leaf)),
    ...Object.fromEntries(options.assignments.map((assigned) => [assigned.name, fillIn(assigned)])),
  };
}
