import fc from 'fast-check';

/** What a hostile client does on one connection. */
export interface Input {
  /** Which listener it is for, and whether it is before, inside or behind TLS. */
  readonly stage: 'control' | 'before-tls' | 'inside-tls' | 'behind-tls';
  /** Written one after the other. Latin-1, so that a failure can be read. */
  readonly chunks: readonly string[];
  /**
   * How it leaves: with a FIN, to see what comes back, or at once. One that waits sends three
   * requests whose framing is right, the first and the last of them good.
   */
  readonly leave: 'fin' | 'destroy' | 'reset' | 'wait';
  readonly alpn: readonly string[];
  readonly sni: string;
}

/** Keys that must never come out: of other clients, and one that is wrong. */
export const FOREIGN_KEY = 'canary_of_alice';
export const WRONG_KEY = 'canary_that_is_wrong';
/** The key of the hostile clients themselves. */
export const HOSTILE_KEY = 'hostile_own';

/** A request that is right, of the hostile client itself. */
export const GOOD = {
  control: 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n',
  service: `GET /momo/balance?apikey=${HOSTILE_KEY} HTTP/1.1\r\nHost: x\r\n\r\n`,
};

const { array, boolean, constant, constantFrom, nat, oneof, record, tuple } = fc;
const text = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((all) => Buffer.from(all).toString('latin1'));
const [junk, short] = [text(300), text(12)];
/** One of some words. */
const words = (all: string) => constantFrom(...all.split(' '));

// Targets.
const word = oneof(
  nat(255).map((byte) => `%${byte.toString(16).padStart(2, '0')}`),
  words('__proto__ constructor toString .. ..%2f %2e%2e/ %5c.. %00 % %u0041 %c0%af'),
  words(`momo balance errors 401.json ${FOREIGN_KEY}`),
  short.map((some) => some.replace(/[\s\0]/g, '')),
);
const parameter = oneof(
  tuple(word, word).map(([name, value]) => `${name}=${value}`),
  words(`apikey=${WRONG_KEY} apikey=${HOSTILE_KEY} apikey=${WRONG_KEY}%00 = && ;`),
  words('apiKey api_key apikey[] apikey%5B%5D').map((it) => `${it}=${FOREIGN_KEY}`),
  words('__proto__[x]=1 a[]=1&a[]=2 constructor[prototype][x]=1'),
);
const query = array(parameter, { maxLength: 5 }).map((all) => all.join('&'));
const path = oneof(
  words('/momo/balance /momo/balance/ / * // /momo//balance http://h.example/momo/balance'),
  array(word, { maxLength: 5 }).map((all) => `/${all.join('/')}`),
);
const target = oneof(
  { weight: 5, arbitrary: tuple(path, query).map((both) => both.join('?')) },
  constantFrom('h.example:443', '', ' ', 'momo/balance', '/#/../momo', '?', '/%'),
  short,
);
const route = tuple(
  words('balance responses requests health openapi.json tls nothing'),
  oneof(query, words('limit=1 since=1e9 status=')),
).map(([name, more]) => `/${name}?${more.replaceAll('waitFor', '')}`);

// Heads.
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'];
const method = oneof(
  { weight: 4, arbitrary: constantFrom('GET', 'GET', ...METHODS, 'CONNECT') },
  constantFrom('PRI', 'PROPFIND', 'get', 'G ET', 'FROBNICATE', 'M-SEARCH', 'SOURCE'),
  short,
);
const VERSIONS = ['1.1', '1.1', '1.1', '1.0', '0.9', '2.0', '1.10', '11', '1.1\x0b', ''];
const framing = oneof(
  words('0 5 +5 -1 5,5 0x5 99999999999999999999999').map((it) => `Content-Length: ${it}`),
  constantFrom('chunked', 'chunked, identity', 'xchunked', '\x0bchunked', 'chunked\r\nTE: x').map(
    (coding) => `Transfer-Encoding: ${coding}`,
  ),
  constantFrom(
    ...['content-length : 5', ' Transfer-Encoding: chunked', 'Transfer_Encoding: chunked'],
    ...['Connection: close', 'Expect: 100-continue', 'Expect: 200-ok', 'Host: a\r\nHost: b'],
    'Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAA',
  ),
);
const header = oneof(
  { weight: 4, arbitrary: framing },
  constantFrom(
    ...[`Authorization: Bearer ${FOREIGN_KEY}`, `X-Api-Key: ${FOREIGN_KEY}`],
    ...[`Cookie: a=${WRONG_KEY}; b=${FOREIGN_KEY}`, `X-Trace: /momo?apikey=${FOREIGN_KEY}`],
    ...['Origin: null', 'Origin: http://evil.example', '__proto__: x', 'constructor: x'],
    ...['Content-Type: application/json', 'Content-Type: text/plain;charset=\x80'],
  ),
  tuple(short, short).map(([name, value]) => `${name}: ${value}`),
  tuple(words('X Cookie Host'), nat(20_000)).map(([name, many]) => `${name}: ${'a'.repeat(many)}`),
  nat(3000).map((count) => Array.from({ length: count }, (_, at) => `h${at}: 1`).join('\r\n')),
  short,
);

// Bodies.
const json = oneof(
  fc.json(),
  constantFrom('{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}'),
  constantFrom('[]', '{}', 'null', '"', '{"a":1e999}', '\ufeff{}', '{"status":"__proto__"}'),
  nat(20_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  nat(100_000).map((length) => `{"balance":"${'x'.repeat(length)}"}`),
).map((some) => Buffer.from(some).toString('latin1'));
const chunks = constantFrom(
  ...['0\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n', '5;a="\r\nhello\r\n', 'ffffffffffffffff1\r\n'],
  ...['-1\r\n', '5\nhello\n0\n\n', `5;${'a'.repeat(20_000)}\r\nhello`, 'hello'],
);
const body = oneof(junk, json, chunks);

/** Requests that may be broken in every way. */
function request(where: keyof typeof GOOD) {
  const asked = where === 'control' ? oneof(route, route, target) : target;
  const lineEnd = constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\n ', '\0\r\n');
  const headers = array(header, { maxLength: 5 });
  const version = constantFrom(...VERSIONS);
  return record({ method, asked, version, headers, lineEnd, body }).map((it) => {
    // Set for all accounts, a script would rightly change what the good clients get.
    const own = where === 'control' ? ['Host: localhost', `apikey: ${HOSTILE_KEY}`] : ['Host: x'];
    const line = it.asked.startsWith('/responses')
      ? `GET ${it.asked} HTTP/1.1`
      : `${it.method} ${it.asked} HTTP/${it.version}`;
    return [line, ...own, ...it.headers, '', it.body].join(it.lineEnd);
  });
}

/** A write on the control API whose framing is right, so that its body is read. */
const write = tuple(
  constantFrom('PUT /balance', 'PUT /responses', 'POST /accounts', 'PUT /tls'),
  json,
).map(([line, some]) => {
  // What it sets for itself is its own to read, and no leak.
  const sent = line === 'PUT /balance' ? some.replace(/canary_\w+/g, 'word') : some;
  const account = /balance|responses/.test(line) ? [`apikey: ${HOSTILE_KEY}`] : [];
  const frame = ['Content-Type: application/json', `Content-Length: ${sent.length}`];
  return [`${line} HTTP/1.1`, 'Host: localhost', ...account, ...frame, '', sent].join('\r\n');
});

/** Nonsense in sound HTTP, between two good requests, all behind one another or in pieces. */
function sound(where: keyof typeof GOOD): fc.Arbitrary<string[]> {
  const asked = (where === 'control' ? oneof(route, target) : target).map(
    (some) => `/${some.replace(/[^\x21-\x7e]|^\/|\/responses/g, '')}`,
  );
  const framed = tuple(constantFrom(...METHODS, 'M-SEARCH'), asked, body).map(
    ([method, at, sent]) => {
      // A wrong key is a secret too, wherever else it stands in its request.
      const key = [`Authorization: Bearer ${WRONG_KEY}`, `X-Note: saw ${WRONG_KEY}`];
      const head = [`${method} ${at} HTTP/1.1`, 'Host: localhost', `apikey: ${HOSTILE_KEY}`];
      return [...head, ...key, `Content-Length: ${sent.length}`, '', sent].join('\r\n');
    },
  );
  const good = GOOD[where];
  const last = good.replace('\r\nHost', '\r\nConnection: close\r\nHost');
  return tuple(where === 'control' ? oneof(framed, write) : framed, boolean()).map(
    ([odd, isCut]) => (isCut ? [good, odd, last] : [`${good}${odd}${last}`]),
  );
}

/** The beginning of a TLS record, of many kinds and versions. */
const tlsRecord = tuple(
  constantFrom(20, 21, 22, 23, 24, 128),
  constantFrom(0, 1, 3, 4, 255),
  junk,
).map(([kind, minor, rest]) => String.fromCharCode(kind, 3, minor, 0, rest.length & 255) + rest);

/** Something broken, with good requests before or behind it, perhaps in two pieces. */
function pipeline(where: keyof typeof GOOD): fc.Arbitrary<string[]> {
  const broken = oneof(
    { weight: 6, arbitrary: request(where) },
    { weight: where === 'control' ? 5 : 0, arbitrary: write },
    { weight: 1, arbitrary: oneof(junk, constant('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), tlsRecord) },
  );
  const maybe = constantFrom('', GOOD[where]);
  return tuple(maybe, broken, maybe, nat(500)).map(([before, one, behind, cut]) => {
    const all = before + one + behind;
    return cut % 3 === 0 ? [all.slice(0, cut), all.slice(cut)] : [all];
  });
}

const LEAVE = constantFrom<Input['leave']>('fin', 'fin', 'fin', 'fin', 'destroy', 'reset');
const ALPN = constantFrom<string[]>(
  ...[[], ['http/1.1'], ['h2', 'http/1.1'], ['http/1.0'], ['h2'], ['\xff'], ['a'.repeat(255)]],
);
const sni = constantFrom('localhost', '', 'evil.example', 'a'.repeat(200), '-', 'xn--', 'a.');

const of = (
  stage: Input['stage'],
  chunks: fc.Arbitrary<string[]>,
  { leave = LEAVE, alpn = ALPN } = {},
): fc.Arbitrary<Input> => record({ stage: constant(stage), chunks, leave, alpn, sni });

/** HTTP to one of the two listeners; one of five is sound. */
function http(stage: Input['stage'], where: keyof typeof GOOD): fc.Arbitrary<Input> {
  const waits = { leave: constant<Input['leave']>('wait'), alpn: constant<string[]>(['http/1.1']) };
  return oneof(
    { weight: 4, arbitrary: of(stage, pipeline(where)) },
    { weight: 1, arbitrary: of(stage, sound(where), waits) },
  );
}

const pieces = (...all: fc.Arbitrary<string>[]) =>
  array(oneof(...all), { minLength: 1, maxLength: 3 });

/** Everything that hostile clients do. */
export const input: fc.Arbitrary<Input> = oneof(
  { weight: 4, arbitrary: http('control', 'control') },
  { weight: 2, arbitrary: http('inside-tls', 'service') },
  { weight: 2, arbitrary: of('before-tls', pieces(tlsRecord, junk, request('service'))) },
  { weight: 1, arbitrary: of('behind-tls', pieces(tlsRecord, junk)) },
);
