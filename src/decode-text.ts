/**
 * Decodes a text file that a user wrote: UTF-8 or UTF-16, without the byte order mark. Editors and
 * PowerShell on Windows write all of these.
 */
export function decodeText(bytes: Uint8Array): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' }[mark] ?? 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
