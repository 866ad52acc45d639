import type { MomoAccount, MomoScope, MomoTarget } from './momo-mock.ts';
import type { Trust } from './trust.ts';

/** What an account is made of, in this process or over HTTP. */
export interface AccountParts extends Pick<MomoTarget, 'url' | 'apikey'> {
  readonly scope: MomoScope;
  readonly trust: Trust;
  readonly remove: MomoAccount['remove'];
}

/** The interface of an account. */
export function momoAccount({ scope, url, apikey, trust, remove }: AccountParts): MomoAccount {
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
    remove,
  };
}
