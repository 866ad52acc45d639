/**
 * Decodes a text file that a user wrote: UTF-8 or UTF-16, without the byte order mark. Editors and
 * PowerShell on Windows write all of these.
 */
export function decodeText(bytes: Uint8Array): string {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  const isUtf16 = mark === 0xfffe || mark === 0xfeff;
  const encoding = mark === 0xfffe ? 'utf-16le' : 'utf-16be';
  return new TextDecoder(isUtf16 ? encoding : 'utf-8').decode(bytes);
}
