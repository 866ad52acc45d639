const bytes = (...all: number[]): string => String.fromCharCode(...all);
const short = (value: number): string => bytes(value >> 8, value & 255);
const sized = (text: string): string => short(text.length) + text;
const extension = (kind: number, content: string): string => short(kind) + sized(content);

/**
 * The first record of a TLS 1.2 handshake, as Latin-1, whatever name and protocols it is to hold:
 * no TLS library would send most of them.
 */
export function clientHello(sni: string, alpn: readonly string[]): string {
  const name = extension(0, sized(bytes(0) + sized(sni)));
  const protocols = alpn.map((one) => bytes(one.length) + one).join('');
  const extensions = [
    name,
    extension(10, sized(bytes(0, 0x1d, 0, 0x17))),
    extension(11, bytes(1, 0)),
    extension(13, sized(bytes(4, 3, 8, 4, 4, 1))),
    ...(alpn.length > 0 ? [extension(16, sized(protocols))] : []),
  ].join('');
  const suites = sized(bytes(0xc0, 0x2b, 0xc0, 0x2f));
  const body = `${bytes(3, 3)}${'r'.repeat(32)}${bytes(0)}${suites}${bytes(1, 0)}${sized(extensions)}`;
  const message = `${bytes(1, 0)}${sized(body)}`;
  return `${bytes(22, 3, 1)}${sized(message)}`;
}
