import { MomoMockError } from '../../errors.ts';
import type { MockServer } from '../../server.ts';
import { proxyUrl, proxyVariables } from './proxy.ts';
import type { Trust } from './trust.ts';

/** A running mock, and the files by which a command can use it. */
export interface MockAccess {
  readonly mock: Pick<MockServer, 'url' | 'port' | 'controlUrl' | 'certificate'>;
  /** The token that its control API demands. */
  readonly token: string | undefined;
  /** The first of its keys. */
  readonly apikey: string;
  /** The file of its certificate. */
  readonly file: string;
  readonly trust: Trust;
}

/** The variables that the command gets beside the usual ones. */
export interface CommandVariables {
  readonly assignments: readonly Assignment[];
  /** Whether its clients use the proxy. */
  readonly proxy: boolean;
}

/** A variable of `--set`, with the placeholders still in it. */
export interface Assignment {
  readonly name: string;
  readonly template: string;
}

/** What can stand in braces in a template. */
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

/** The values of the placeholders. Those that the mock lacks are left out. */
type Facts = Readonly<Partial<Record<(typeof PLACEHOLDERS)[number], string>>>;

/** A variable without a value is not set. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the values of `--set`, each `NAME=TEMPLATE`.
 *
 * @throws MomoMockError `MOMO_MOCK_USAGE`; no sentence repeats a template, which may be a key
 */
export function readAssignments(texts: readonly string[]): Assignment[] {
  const read = texts.map((text): Assignment | string => {
    const [, name, template] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || template === undefined) {
      return 'Failed to read --set: it is not NAME=TEMPLATE. Give one such as MOMO_BASE_URL={url}.';
    }
    const isKnown = (word: string) => PLACEHOLDERS.some((known) => known === word);
    if (placeholdersIn(template).every(isKnown)) return { name, template };
    const all = PLACEHOLDERS.map((known) => `{${known}}`).join(', ');
    return `Failed to read --set ${name}: there is no such placeholder. There are ${all}.`;
  });
  const problems = read.filter((one) => typeof one === 'string');
  if (problems.length > 0) {
    throw new MomoMockError('MOMO_MOCK_USAGE', [...new Set(problems)].join('\n'));
  }
  return read.filter((one) => typeof one !== 'string');
}

/**
 * Fills in a template.
 *
 * @throws MomoMockError `MOMO_MOCK_USAGE` where the mock lacks the value of a placeholder
 */
export function fillIn({ name, template }: Assignment, facts: Facts): string {
  const values = new Map(Object.entries(facts));
  if (placeholdersIn(template).every((word) => values.has(word))) {
    return template.replace(PLACEHOLDER, (_all, word) => values.get(word) ?? '');
  }
  const text = `Failed to fill in --set ${name}: the control API is off. Take its placeholder out, or give MOMO_MOCK_CONTROL_PORT a port (0 is any free one).`;
  throw new MomoMockError('MOMO_MOCK_USAGE', text);
}

/**
 * The environment of the command: that of this process, the variables that lead to the mock and
 * make it trusted, and over all of them those of `--set`.
 *
 * @throws MomoMockError `MOMO_MOCK_USAGE` where `--set` or `--proxy` needs what the mock lacks
 */
export function environmentFor(
  access: MockAccess,
  { assignments, proxy }: CommandVariables,
  env: Environment,
): Environment {
  const { mock, apikey, file, trust, token } = access;
  const { controlUrl, certificate } = mock;
  const facts = factsOf(access);
  return {
    ...env,
    MOMO_MOCK_URL: mock.url,
    MOMO_MOCK_CONTROL_URL: controlUrl ?? '',
    MOMO_MOCK_APIKEY: apikey,
    MOMO_MOCK_CA: file,
    ...trust.variables,
    ...(proxy && proxyVariables({ controlUrl, token, cert: certificate.cert }, env)),
    ...Object.fromEntries(assignments.map((one) => [one.name, fillIn(one, facts)])),
  };
}

function factsOf({ mock, apikey, file, trust, token }: MockAccess): Facts {
  const { url, port, controlUrl } = mock;
  return {
    url,
    port: String(port),
    apikey,
    ca: file,
    bundle: trust.bundle,
    ...(controlUrl !== null && {
      controlUrl,
      controlPort: new URL(controlUrl).port,
      proxy: proxyUrl(controlUrl, token),
    }),
  };
}

function placeholdersIn(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, word = '']) => word);
}
