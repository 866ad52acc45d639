import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { MomoMockError } from '../../errors.ts';
import type { MockServer } from '../../server/mock-server.ts';
import type { Config } from '../../settings/config.ts';
import { proxyUrl } from './proxy.ts';

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

export async function accessTo(
  server: MockServer,
  config: Config,
  folder: string,
): Promise<MockAccess> {
  const { certificate, controlUrl } = server;
  const file = certificate.file ?? join(folder, 'momo-mock.pem');
  if (certificate.file === null) await writeFile(file, certificate.cert);
  const proxy = proxyUrl(controlUrl, config.CONTROL_TOKEN);
  return { server, apiKey: config.keys[0]?.key ?? '', proxy, file, folder };
}

/** All users can read the folder, but not the private key in it. */
export async function createFolder(): Promise<string> {
  try {
    const folder = await mkdtemp(join(tmpdir(), 'momo-mock-run-'));
    await chmod(folder, 0o755);
    return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const text = `Failed to create a folder in ${tmpdir()}: ${code}. Set TMPDIR to a writable folder.`;
    throw new MomoMockError('MOMO_MOCK_FOLDER_UNUSABLE', text, { cause: error });
  }
}

/** Why a variable that lists paths cannot have this one; `undefined` if it can. */
export function listProblem(path: string, variable: string): string | undefined {
  if (!path.includes(delimiter)) return undefined;
  const why = `contains "${delimiter}", which separates paths in ${variable}`;
  return `the path ${path} ${why}. Set TMPDIR to another folder.`;
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
