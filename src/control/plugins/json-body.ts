import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { ParseError } from 'jsonc-parser';
import { invalid } from '../../mock/check.ts';
import { isTooDeep, TOO_DEEP } from '../../mock/json-of.ts';
import { ENVELOPE_LEVELS, MOST_LEVELS } from '../../mock/limits.ts';

/**
 * Parses bodies. Only JSON is accepted, because a web page cannot send it to another origin without
 * a preflight request. The decorator `bytes` of the request contains the body as it was sent.
 */
export const jsonBody = fp(async (app) => {
  app.decorateRequest('bytes', undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      request.setDecorator('bytes', bytes);
      return bytes.length === 0 ? undefined : await parse(bytes);
    },
  );
});

async function parse(bytes: Buffer): Promise<unknown> {
  if (!isUtf8(bytes)) throw invalid('the body', 'must be UTF-8');
  const text = bytes.toString();
  // A value in it has its own check.
  if (isTooDeep(text, MOST_LEVELS + ENVELOPE_LEVELS)) throw invalid('the body', TOO_DEEP);
  try {
    // Without a reviver or merging, __proto__ is an ordinary field.
    return JSON.parse(text);
  } catch {
    // The message of JSON.parse quotes the body.
    throw invalid('the body', `not valid JSON${await errorPlace(text)}`);
  }
}

async function errorPlace(text: string): Promise<string> {
  const { parseTree } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  try {
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // After a text without its end, this parser sees brackets that are not counted as levels.
    if (!(error instanceof RangeError)) throw error;
  }
  const [first] = errors;
  if (first === undefined) return '';
  const lines = text.slice(0, first.offset).split(/\r\n|\n|\r/);
  return ` at line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
}
