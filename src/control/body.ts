import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid } from '../mock/invalid.ts';

/** The longest body that is read, in bytes. */
export const LONGEST_BODY = 10 * 1024 * 1024;

/**
 * Lets bodies in as bytes, and JSON alone: a web page cannot send that without asking first. What
 * is to be served as it was sent must not be parsed and written again.
 */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
}

/** The bytes of a request's body; none where it has no body. */
export function bytesOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/**
 * A request's body, parsed.
 *
 * @throws MomoMockError `MOMO_MOCK_REQUEST_INVALID` where it is not JSON, or not UTF-8
 */
export function jsonOf(request: FastifyRequest): unknown {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    // No reviver, no merging: a field called __proto__ is a field.
    return JSON.parse(decoder.decode(bytesOf(request)));
  } catch {
    // The parser's own message quotes the body.
    throw invalid('the body', 'valid JSON, in UTF-8');
  }
}
