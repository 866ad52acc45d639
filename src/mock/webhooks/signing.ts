import { createHmac } from 'node:crypto';

/** How to sign a webhook. Each attempt is signed when it is sent. */
export interface WebhookSignature {
  /** The shared secret. The mock never shows it. */
  readonly secret: string;
  /**
   * How the secret becomes the key: the bytes of its text, or decoded from base64 without a leading
   * `whsec_`.
   *
   * @default 'text'
   */
  readonly secretEncoding?: 'text' | 'base64';
  /** The hash function of the HMAC. @default 'sha256' */
  readonly algorithm?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  /** The encoding of the signature. @default 'hex' */
  readonly encoding?: 'hex' | 'base64';
  /**
   * The text to sign, with the placeholders `{timestamp}` (seconds since 1970, in real time),
   * `{id}` (the same for all attempts of a webhook), `{secret}` and `{body}`.
   *
   * @default '{body}'
   */
  readonly payload?: string;
  /** The headers to send, with the placeholders of `payload` and `{signature}`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Short for `headers: { [header]: '{signature}' }`. */
  readonly header?: string;
}

/** The part of a webhook to forge. */
export type WebhookForgery = (typeof FORGERIES)[number];

export const FORGERIES = ['signature', 'timestamp', 'body', 'missing'] as const;

export const PLACEHOLDER = /\{([\w.-]*)\}/g;

export function uses(templates: readonly string[], name: string): boolean {
  return templates.some((template) => template.includes(`{${name}}`));
}

export function templatesOf({ header, headers }: WebhookSignature) {
  return headers ?? (header === undefined ? {} : { [header]: '{signature}' });
}

/** Makes the mock redact these webhooks' secrets. */
export function rememberSecrets(
  webhooks: readonly { readonly sign?: WebhookSignature | undefined }[],
  secrets: { remember(secret: string): void },
): void {
  for (const { sign } of webhooks) {
    if (sign === undefined) continue;
    secrets.remember(sign.secret);
    secrets.remember(unprefixed(sign.secret));
  }
}

/** @param timestamp in seconds since 1970 */
export function signatureHeaders(
  sign: WebhookSignature,
  { id, timestamp, body }: { id: string; timestamp: number; body: Buffer },
): Record<string, string> {
  const { secret, secretEncoding, algorithm = 'sha256', encoding = 'hex', payload } = sign;
  const key = secretEncoding === 'base64' ? Buffer.from(unprefixed(secret), 'base64') : secret;
  const values = { id, timestamp: `${timestamp}`, secret, body: body.toString() };
  const signature = createHmac(algorithm, key)
    .update(filled(payload ?? '{body}', values))
    .digest(encoding);
  return Object.fromEntries(
    Object.entries(templatesOf(sign)).map(([name, template]) => [
      name.toLowerCase(),
      filled(template, { ...values, signature }),
    ]),
  );
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(PLACEHOLDER, (_, name: string) => `${values[name]}`);
}

/** The longest values of placeholders, in bytes: a forged secret, and SHA-512 in hex. */
const LENGTHS = { id: 36, timestamp: 12, signature: 128, secret: 44 };

/** The maximum lengths of the payload and of all headers with their placeholders filled, in bytes. */
export function filledLengths(sign: WebhookSignature, body: Buffer) {
  const { secret, payload = '{body}' } = sign;
  const lengths: Readonly<Record<string, number>> = {
    ...LENGTHS,
    secret: Math.max(LENGTHS.secret, Buffer.byteLength(secret)),
    body: body.length,
  };
  const lengthOf = (template: string): number => {
    let length = Buffer.byteLength(template);
    for (const [placeholder, name = ''] of template.matchAll(PLACEHOLDER)) {
      length += (lengths[name] ?? 0) - placeholder.length;
    }
    return length;
  };
  const lines = Object.entries(templatesOf(sign)).flat();
  return {
    payload: lengthOf(payload),
    headers: lines.reduce((sum, text) => sum + lengthOf(text), 0),
  };
}

/** A secret without the prefix that Standard Webhooks adds. */
export function unprefixed(secret: string): string {
  return secret.replace(/^whsec_/, '');
}
