import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Makes the check of the token that the control API may demand.
 *
 * @param token what is demanded; without one, every request is let through
 * @returns whether an `authorization` header brings it, in a time that tells nothing about it
 */
export function tokenCheck(token: string | undefined): (header: string | undefined) => boolean {
  if (token === undefined) return () => true;
  const demanded = digest(Buffer.from(token));
  return (header = '') => {
    const given = /^bearer +(.+)$/i.exec(header)?.[1];
    // Node reads headers as latin1, and a token may be UTF-8.
    return given !== undefined && timingSafeEqual(digest(Buffer.from(given, 'latin1')), demanded);
  };
}

/** Of one length for all, as the comparison wants it. */
function digest(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
