import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { MAX_ENCODINGS } from '../limits.ts';

type Decode = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const GUNZIP: Decode = promisify(gunzip);
const INFLATE: Decode = promisify(inflate);
const INFLATE_RAW: Decode = promisify(inflateRaw);

const DECODERS = new Map<string, Decode>([
  ['gzip', GUNZIP],
  ['x-gzip', GUNZIP],
  // Some clients leave out the zlib header, whose first byte ends with 8.
  [
    'deflate',
    (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? INFLATE : INFLATE_RAW)(bytes, options),
  ],
  ['br', promisify(brotliDecompress)],
]);

/**
 * @param encodings the values of the headers with its encodings, in the order of their use
 * @param maxLength of the decoded body, in bytes
 * @returns the body, or a problem, whose message completes a sentence about the body
 */
export async function decodeContent(bytes: Buffer, encodings: string, maxLength: number) {
  const names = encodings
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => !['', 'identity', 'chunked'].includes(name));
  if (names.length > MAX_ENCODINGS) {
    return { message: `must have at most ${MAX_ENCODINGS} encodings`, isTooLong: false };
  }
  let decoded = bytes;
  for (const name of names.reverse()) {
    const decode = DECODERS.get(name);
    if (decode === undefined) {
      return { message: 'must be encoded with gzip, deflate or br', isTooLong: false };
    }
    try {
      decoded = await decode(decoded, { maxOutputLength: maxLength });
    } catch (error) {
      const isTooLong = Object(error).code === 'ERR_BUFFER_TOO_LARGE';
      return { message: `must be valid ${name}, as its content-encoding says`, isTooLong };
    }
  }
  return decoded;
}
