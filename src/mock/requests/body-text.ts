const CHARSET = /;\s*charset\s*=\s*["']?([^\s;"']+)/i;

/**
 * A body, or a file that a user wrote, as text without its byte order mark: editors and PowerShell on
 * Windows write UTF-16. The mark comes before the charset of the content type. An unknown charset
 * counts as UTF-8.
 */
export function bodyText(bytes: Buffer, type = ''): string {
  const charset =
    bytes.length < 2 ? '' : (MARKS.get(bytes.readUInt16BE()) ?? CHARSET.exec(type)?.[1] ?? '');
  // Node decodes UTF-8 itself, and much faster.
  if (/^(utf-?8)?$/i.test(charset)) return bytes.toString().replace(/^\ufeff/, '');
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString();
  }
}

const MARKS = new Map([
  [0xfffe, 'utf-16le'],
  [0xfeff, 'utf-16be'],
]);
