import type { WebhookSignature } from './signing.ts';

/** What a webhook and its retries send. */
interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly retry: readonly number[];
  readonly accept?: readonly number[] | undefined;
  readonly timeout: number;
  readonly sign?: WebhookSignature | undefined;
}

/** A prepared webhook as a test or a handler would give it. */
export function givenWebhook({ url, method, headers, body, retry, accept, timeout, sign }: Sent) {
  const { 'content-length': _, ...others } = headers;
  return {
    ...{ url, method, headers: others, retry, accept, timeout, sign },
    body: body.length === 0 ? undefined : body.toString(),
  };
}
