import type { MomoScope, MomoTarget } from './momo-mock.ts';
import type { Trust } from './trust.ts';

/** What the mock and its accounts have in common, in this process and over HTTP. */
export interface TargetParts extends Pick<MomoTarget, 'url' | 'apikey'> {
  readonly scope: MomoScope;
  readonly trust: Trust;
}

/** A scope, with what the code under test needs to reach and trust the mock. */
export function targetOf({ scope, url, apikey, trust }: TargetParts): MomoScope & MomoTarget {
  const { ca, agent, connect } = trust;
  return {
    ...scope,
    url,
    apikey,
    ca,
    get caFile() {
      return trust.file();
    },
    agent,
    connect,
  };
}
