import { MomoMockError } from '../../errors.ts';
import type { MockServer } from '../../server.ts';
import type { RunOptions } from '../arguments.ts';
import { type Assignment, type Facts, fillIn } from './assignment.ts';
import { proxyUrl, proxyVariables } from './proxy.ts';
import type { Trust } from './trust.ts';

/** A mock that runs, and what was made for a command to use it. */
export interface Doubled {
  readonly mock: Pick<MockServer, 'url' | 'port' | 'controlUrl' | 'certificate'>;
  /** What its control API demands. */
  readonly token: string | undefined;
  /** The first of its keys. */
  readonly apikey: string;
  /** The file of its certificate. */
  readonly file: string;
  readonly trust: Trust;
}

/** What the environment of a command is: a variable without a value is not set. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment of the command: this process's own, the variables that lead to the mock and
 * make it trusted, and over all of them those of `--set`.
 *
 * @throws MomoMockError `MOMO_MOCK_USAGE` where `--set` or `--proxy` asks for what the mock lacks
 */
export function environmentFor(
  doubled: Doubled,
  { assignments, proxy }: Pick<RunOptions, 'assignments' | 'proxy'>,
  env: Environment,
): Environment {
  const { mock, apikey, file, trust, token } = doubled;
  const { controlUrl, certificate } = mock;
  const facts = factsOf(doubled);
  return {
    ...env,
    MOMO_MOCK_URL: mock.url,
    MOMO_MOCK_CONTROL_URL: controlUrl ?? '',
    MOMO_MOCK_APIKEY: apikey,
    MOMO_MOCK_CA: file,
    ...trust.variables,
    ...(proxy && proxyVariables({ controlUrl, token, cert: certificate.cert }, env)),
    ...Object.fromEntries(
      assignments.map((assignment) => [assignment.name, filled(assignment, facts)]),
    ),
  };
}

function factsOf({ mock, apikey, file, trust, token }: Doubled): Facts {
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

function filled(assignment: Assignment, facts: Facts): string {
  const value = fillIn(assignment, facts);
  if (value !== undefined) return value;
  const text = `Failed to fill in --set ${assignment.name}: the control API is off. Take its placeholder out, or give MOMO_MOCK_CONTROL_PORT a port (0 is any free one).`;
  throw new MomoMockError('MOMO_MOCK_USAGE', text);
}
