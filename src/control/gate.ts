import type { IncomingHttpHeaders } from 'node:http';
import { isExpectedHost } from './host-check.ts';
import { isForeignPage } from './origin-check.ts';
import { type Refusal, refusal } from './refusal.ts';
import { tokenCheck } from './token-check.ts';

const HOST = refusal(
  'MOMO_MOCK_HOST_REFUSED',
  'Failed to answer: the Host header names a host that is not expected. Use localhost or an address, or add the name to MOMO_MOCK_TLS_HOSTS.',
);
const ORIGIN = refusal(
  'MOMO_MOCK_ORIGIN_REFUSED',
  'Failed to answer: a web page of another origin may not use the control API. Call it from a test.',
);
const TOKEN = refusal(
  'MOMO_MOCK_TOKEN',
  'Failed to answer: the token is missing or wrong. Send the header authorization: Bearer and the token of MOMO_MOCK_CONTROL_TOKEN.',
);

/** Whom the control API answers. */
export interface GateOptions {
  /** Host names besides loopback, addresses and names without a dot; lower case. */
  readonly hosts: readonly string[];
  /** What a client has to bring, if anything. */
  readonly token?: string | undefined;
}

/** Makes the check that every request has to pass, whatever its path. */
export function createGate(
  options: GateOptions,
): (headers: IncomingHttpHeaders) => Refusal | undefined {
  const bringsToken = tokenCheck(options.token);
  return (headers) => {
    if (!isExpectedHost(headers.host, options.hosts)) return HOST;
    if (isForeignPage(headers)) return ORIGIN;
    return bringsToken(headers.authorization) ? undefined : TOKEN;
  };
}
