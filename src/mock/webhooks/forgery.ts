import { randomBytes } from 'node:crypto';
import { timeOfDay } from '../../timers.ts';
import { parsedJson } from '../json/json-of.ts';
import { signatureHeaders, templatesOf, uses } from './signing.ts';
import type { OutgoingWebhook } from './webhook.ts';

/** The age of a forged timestamp, in s. Providers tolerate five minutes. */
const AGE = 15 * 60;

type Parts = Pick<OutgoingWebhook, 'headers' | 'body'>;

/** What one attempt sends, or the reason if it cannot be signed, or not forged as scripted. */
export function signedParts(webhook: OutgoingWebhook): Parts | 'not-forged' | 'not-signed' {
  if (!canForge(webhook)) return 'not-forged';
  try {
    return signed(webhook);
  } catch {
    return 'not-signed';
  }
}

function signed({ headers, body, sign, id, forge }: OutgoingWebhook): Parts {
  if (sign === undefined) return { headers, body };
  // Applications compare it with their own clock.
  const now = Math.floor(timeOfDay() / 1000);
  const timestamp = forge === 'timestamp' ? now - AGE : now;
  const secret = forge === 'signature' ? randomBytes(32).toString('base64') : sign.secret;
  const signature = signatureHeaders({ ...sign, secret }, { id, timestamp, body });
  const others = Object.entries(headers).filter(([name]) => !Object.hasOwn(signature, name));
  const sent = forge === 'body' ? otherBody(body) : body;
  return {
    headers: {
      ...Object.fromEntries(others),
      ...(forge === 'body' && { 'content-length': `${sent.length}` }),
      ...(forge !== 'missing' && signature),
    },
    body: sent,
  };
}

/** Whether the application can notice the forgery. */
function canForge({ forge, sign, body }: OutgoingWebhook): boolean {
  if (forge === undefined) return true;
  if (sign === undefined) return false;
  const { payload = '{body}' } = sign;
  const templates = Object.values(templatesOf(sign));
  const isSigned = uses(templates, 'signature');
  if (forge === 'signature') return isSigned || uses(templates, 'secret');
  if (forge === 'timestamp') return uses([payload, ...templates], 'timestamp');
  return forge === 'missing' || (isSigned && uses([payload], 'body') && body.length > 0);
}

/** A string in JSON that is not a name, a number, or a boolean. */
const VALUES = [
  /("[^"\\]*(?:\\.[^"\\]*)*")|-?\d[\d.eE+-]*/g,
  /("[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:))|"[^"\\]*(?:\\.[^"\\]*)*"/g,
  /("[^"\\]*(?:\\.[^"\\]*)*")|true|false/g,
];

/**
 * Changes a body so that it still parses: in JSON the first number, or else the first string or
 * boolean, and in a form the last field. Everything else stays as it is.
 */
function otherBody(body: Buffer): Buffer {
  const text = body.toString();
  const json = parsedJson(text);
  return Buffer.from(json === undefined ? `${text}0` : otherJson(text, json));
}

function otherJson(text: string, json: unknown): string {
  for (const expression of VALUES) {
    let isChanged = false;
    const other = text.replace(expression, (value, skipped) => {
      if (isChanged || skipped !== undefined) return value;
      isChanged = true;
      return otherValue(value);
    });
    if (isChanged) return other;
  }
  const other = Array.isArray(json)
    ? [...json, null]
    : { ...(json as object | null), forged: true };
  return JSON.stringify(other);
}

function otherValue(value: string): string {
  if (value === 'true' || value === 'false') return `${value !== 'true'}`;
  if (value.startsWith('"')) return `${value.slice(0, -1)}0"`;
  // Beyond 2^53, adding 1 to a number may change nothing, and a bigint of many digits takes seconds.
  return value.replace(/\d+/, plusOne);
}

function plusOne(digits: string): string {
  return digits.replace(
    /(^|[0-8])(9*)$/,
    (_, digit: string, nines: string) => `${Number(digit) + 1}${'0'.repeat(nines.length)}`,
  );
}
