import * as Type from 'typebox';
import { closedObject, define, type FieldProblem, oneOf, withRule } from '../json/define.ts';
import type { Definition } from '../json/definition.ts';
import { MAX_SECRET_LENGTH } from '../limits.ts';
import { isHeaderValue, SET_HEADER_NAME, WEBHOOK_HEADERS } from '../responses/response-headers.ts';
import { PLACEHOLDER, templatesOf, unprefixed, uses, type WebhookSignature } from './signing.ts';

const OF_PAYLOAD = ['timestamp', 'id', 'secret', 'body'];
const OF_HEADERS = ['signature', ...OF_PAYLOAD];
const BASE64 = /^[\w+/-]+={0,2}$/;

export const SIGNATURE: Definition<WebhookSignature> = define(
  withRule(
    closedObject(
      {
        secret: Type.String({
          title: `text of at most ${MAX_SECRET_LENGTH} characters`,
          description: 'The shared secret.',
          maxLength: MAX_SECRET_LENGTH,
        }),
        headers: Type.Optional({
          ...WEBHOOK_HEADERS,
          description: 'The headers to send, with placeholders.',
        }),
        payload: Type.Optional(
          Type.String({ description: 'The text to sign, with placeholders.', default: '{body}' }),
        ),
        algorithm: oneOf(
          ['sha1', 'sha256', 'sha384', 'sha512'],
          'The hash function of the signature.',
          { default: 'sha256' },
        ),
        encoding: oneOf(['hex', 'base64'], 'How the signature is written.', { default: 'hex' }),
        secretEncoding: oneOf(
          ['text', 'base64'],
          'base64 decodes the secret, without a leading whsec_. text uses it unchanged.',
          { default: 'text' },
        ),
        header: Type.Optional({
          ...SET_HEADER_NAME,
          description:
            'The name of one header to send, with the signature as its value. Use it instead of headers.',
        }),
      },
      { description: 'How to sign the webhook.' },
    ),
    signatureProblem,
  ),
);

function signatureProblem(sign: WebhookSignature): FieldProblem | undefined {
  const { secret, secretEncoding, payload = '', header, headers } = sign;
  if (header !== undefined && headers !== undefined) {
    return ['header', 'must be left out if there are headers'];
  }
  const templates = Object.values(templatesOf(sign));
  if (templates.length === 0) return ['headers', 'must have at least one header'];
  if (!usesOnly(OF_HEADERS, templates)) return ['headers', useOnly(OF_HEADERS)];
  if (!usesOnly(OF_PAYLOAD, [payload])) return ['payload', useOnly(OF_PAYLOAD)];
  if (secretEncoding === 'base64' && !BASE64.test(unprefixed(secret)))
    return ['secret', 'must be base64'];
  if (uses(templates, 'secret') && !isHeaderValue(secret)) {
    return ['secret', 'must be one line of text, because it is sent in a header'];
  }
  return undefined;
}

function useOnly(known: readonly string[]): string {
  return `has an unknown placeholder. Use only ${known.map((name) => `{${name}}`).join(', ')}`;
}

function usesOnly(known: readonly string[], templates: readonly string[]): boolean {
  return templates
    .flatMap((template) => [...template.matchAll(PLACEHOLDER)])
    .every(([, name = '']) => known.includes(name));
}
