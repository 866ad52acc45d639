import { MomoMockError } from '../../errors.ts';
import type { MockServer } from '../../server/mock-server.ts';

export interface MockAccess {
  readonly server: Pick<MockServer, 'url' | 'port' | 'controlUrl' | 'certificate'>;
  readonly apiKey: string;
  /** The URL of the proxy, which is the control API; `undefined` if that is off. */
  readonly proxy: string | undefined;
  /** The path of the mock's certificate. */
  readonly file: string;
  /** The mock may write more files into it. */
  readonly folder: string;
}

export const PLACEHOLDERS = [
  'url',
  'controlUrl',
  'apiKey',
  'ca',
  'bundle',
  'port',
  'controlPort',
  'proxy',
] as const;

type Placeholder = (typeof PLACEHOLDERS)[number];

const PLACEHOLDER = /\{([A-Za-z]\w*)\}/g;

/** @throws MomoMockError `MOMO_MOCK_USAGE`; no message repeats a template, which may be a key */
export function readAssignments(texts: readonly string[]) {
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
 * @param variables those of `trustFor`, `redirectFor` and `proxyVariables`
 * @param assignments override all others
 * @throws MomoMockError `MOMO_MOCK_USAGE` if `--set` needs something that is off
 */
export function environmentFor(
  { server, apiKey, proxy, file: ca }: MockAccess,
  variables: Readonly<Record<string, string>> & { readonly SSL_CERT_FILE: string },
  assignments: ReturnType<typeof readAssignments>,
): NodeJS.ProcessEnv {
  const { url, controlUrl } = server;
  const facts: Record<Placeholder, string | undefined> = {
    url,
    controlUrl: controlUrl ?? undefined,
    apiKey,
    ca,
    bundle: variables.SSL_CERT_FILE,
    port: String(server.port),
    controlPort: controlUrl === null ? undefined : new URL(controlUrl).port,
    proxy,
  };
  const fillIn = (name: string, template: string) =>
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
    MOMO_MOCK_APIKEY: apiKey,
    MOMO_MOCK_CA: ca,
    ...variables,
    ...Object.fromEntries(assignments.map(({ name, template }) => [name, fillIn(name, template)])),
  };
}
