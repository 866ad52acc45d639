import fc from 'fast-check';
import { clientHello } from './client-hello.ts';

/** Where an input goes: which listener, and before, inside or behind TLS. */
export type Stage = 'control' | 'before-tls' | 'inside-tls' | 'behind-tls';

/** What a hostile client does on one connection. */
export interface Input {
  readonly stage: Stage;
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

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const junk = fc.uint8Array({ maxLength: 300 }).map(latin1);
const short = fc.uint8Array({ maxLength: 12 }).map(latin1);
const POLLUTING = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
const escaped = fc
  .integer({ min: 0, max: 255 })
  .map((byte) => `%${byte.toString(16).padStart(2, '0')}`);
const escapes = fc.array(escaped, { minLength: 1, maxLength: 6 }).map((all) => all.join(''));
const word = fc.oneof(
  escapes,
  fc.constantFrom(...POLLUTING, '..', '..%2f', '%2e%2e/', '%5c..', '%00', '%', '%u0041', '%c0%af'),
  fc.constantFrom('momo', 'balance', 'errors', '401.json', FOREIGN_KEY),
  fc.string({ maxLength: 8, unit: 'grapheme' }).map(encodeURIComponent),
  short.map((text) => text.replace(/[\s\0]/g, '')),
);
const misplaced = fc.constantFrom('apiKey', 'api_key', 'apikey[]', 'apikey%5B%5D', 'x-apikey');
const parameter = fc.oneof(
  fc.tuple(word, word).map(([name, value]) => `${name}=${value}`),
  fc.constantFrom(`apikey=${WRONG_KEY}`, `apikey=${HOSTILE_KEY}`, `apikey=${WRONG_KEY}%00`),
  misplaced.map((name) => `${name}=${FOREIGN_KEY}`),
  fc.constantFrom('__proto__[x]=1', 'a[]=1&a[]=2', 'constructor[prototype][x]=1', '=', '&&', ';'),
);
const query = fc.array(parameter, { maxLength: 5 }).map((all) => all.join('&'));
const path = fc.oneof(
  fc.constantFrom('/momo/balance', '/momo/balance/', '/', '*', '//', '/momo//balance'),
  fc.array(word, { maxLength: 5 }).map((all) => `/${all.join('/')}`),
);
const target = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(path, query).map(([at, more]) => `${at}?${more}`) },
  fc
    .tuple(fc.constantFrom('http://', 'https://', 'HTTP://a:b@', 'ftp://', '//'), path, query)
    .map(([scheme, at, more]) => `${scheme}h.example${at}?${more}`),
  fc.constantFrom('*', 'h.example:443', '', ' ', 'momo/balance', '/#/../momo', '?', '/%'),
  short,
);
const ROUTES = ['balance', 'responses', 'requests', 'health', 'openapi.json', 'tls', 'nothing'];
const route = fc
  .tuple(
    fc.constantFrom(...ROUTES),
    fc.oneof(query, fc.constantFrom('limit=1', 'since=1e9', 'status=')),
  )
  .map(([name, more]) => `/${name}?${more.replaceAll('waitFor', '')}`);
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT'];
const method = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('GET', 'GET', ...METHODS) },
  fc.constantFrom('PRI', 'PROPFIND', 'QUERY', 'get', 'G ET', 'FROBNICATE', 'M-SEARCH', 'SOURCE'),
  short,
);
const VERSIONS = ['1.1', '1.1', '1.1', '1.0', '0.9', '2.0', '1.10', '11', '1.1\x0b', ''];
const version = fc.constantFrom(...VERSIONS).map((text) => `HTTP/${text}`);

const FRAMING = [
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: +5',
  'Content-Length: -1',
  'Content-Length: 5, 5',
  'Content-Length: 0x5',
  'Content-Length: 99999999999999999999999',
  'content-length : 5',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding:\x0bchunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
  ' Transfer-Encoding: chunked',
  'Transfer_Encoding: chunked',
  'Connection: close',
  'Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAA',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
  'Expect: 100-continue',
  'Expect: 200-ok',
  'Trailer: x',
  'TE: trailers',
  'Host: a\r\nHost: b',
];
const header = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...FRAMING) },
  fc.constantFrom(
    `Authorization: Bearer ${FOREIGN_KEY}`,
    `X-Api-Key: ${FOREIGN_KEY}`,
    `Cookie: a=${WRONG_KEY}; b=${FOREIGN_KEY}`,
    `X-Trace: /momo?apikey=${FOREIGN_KEY}`,
    'Origin: null',
    'Origin: http://evil.example',
    'Content-Type: application/json',
    'Content-Type: \xff',
    'Content-Type: text/plain;charset=\x80',
    '__proto__: x',
    'constructor: x',
  ),
  fc.tuple(short, short).map(([name, value]) => `${name}: ${value}`),
  fc
    .tuple(fc.constantFrom('X', 'Cookie', 'Host'), fc.nat(20_000))
    .map(([name, length]) => `${name}: ${'a'.repeat(length)}`),
  fc.nat(3000).map((count) => Array.from({ length: count }, (_, at) => `h${at}: 1`).join('\r\n')),
  short,
);
const depth = fc.nat(20_000);
const json = fc.oneof(
  fc.json(),
  fc.constantFrom('{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}'),
  fc.constantFrom('[]', '{}', 'null', '"', '{"a":1e999}', '\ufeff{}', '{"status":"__proto__"}'),
  depth.map((count) => '['.repeat(count) + ']'.repeat(count)),
  depth.map((count) => `${'{"balance":'.repeat(count)}1${'}'.repeat(count)}`),
  depth.map((count) => `{"balance":"${'x'.repeat(count * 5)}"}`),
  fc.tuple(word, fc.json()).map(([name, value]) => `{${JSON.stringify(name)}:${value}}`),
);
const CHUNKED = [
  '0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  '5;a="\r\nhello\r\n',
  'ffffffffffffffff1\r\n',
];
const body = fc.oneof(
  junk,
  json.map((text) => Buffer.from(text).toString('latin1')),
  fc.constantFrom(
    ...CHUNKED,
    '-1\r\n',
    '5\nhello\n0\n\n',
    `5;${'a'.repeat(20_000)}\r\nhello`,
    'hello',
  ),
);

/** A request that is right, of the hostile client itself. */
export const GOOD = {
  service: `GET /momo/balance?apikey=${HOSTILE_KEY} HTTP/1.1\r\nHost: x\r\n\r\n`,
  control: 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n',
};
const lineEnd = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\n ', '\0\r\n');

function request(where: keyof typeof GOOD): fc.Arbitrary<string> {
  const asked = where === 'control' ? fc.oneof(route, route, target) : target;
  return fc
    .record({ method, asked, version, headers: fc.array(header, { maxLength: 5 }), lineEnd, body })
    .map(({ method, asked, version, headers, lineEnd, body }) => {
      // Told to the whole service, a script would rightly change what the good clients get.
      const account =
        where === 'control' ? ['Host: localhost', `apikey: ${HOSTILE_KEY}`] : ['Host: x'];
      const line = asked.startsWith('/responses')
        ? `GET ${asked} HTTP/1.1`
        : `${method} ${asked} ${version}`;
      return [line, ...account, ...headers, '', body].join(lineEnd);
    });
}

/** A write on the control API whose framing is right, so that its body is read. */
const write = fc
  .tuple(fc.constantFrom('PUT /balance', 'POST /accounts', 'PUT /tls', 'PUT /responses'), json)
  .map(([line, text]) => {
    // What it sets for itself is its own to read, and no leak.
    const own = /balance/.test(line) ? text.replace(/canary_\w+/g, 'word') : text;
    const bytes = Buffer.from(own).toString('latin1');
    const account = /balance|responses/.test(line) ? `apikey: ${HOSTILE_KEY}\r\n` : '';
    return `${line} HTTP/1.1\r\nHost: localhost\r\n${account}Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n${bytes}`;
  });
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
/** The beginning of a TLS record, of many kinds and versions. */
const record = fc
  .tuple(fc.constantFrom(20, 21, 22, 23, 24, 128), fc.constantFrom(0, 1, 3, 4, 255), junk)
  .map(([kind, minor, rest]) => {
    return latin1(Buffer.from([kind, 3, minor, rest.length >> 8, rest.length & 255])) + rest;
  });

const FRAMED = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'M-SEARCH'];

/** A request that is nonsense in sound HTTP, between two good ones. */
function sound(where: keyof typeof GOOD): fc.Arbitrary<string[]> {
  const asked = (where === 'control' ? fc.oneof(route, target) : target).map(
    (text) => `/${text.replace(/[^\x21-\x7e]|^\/|\/responses/g, '')}`,
  );
  const framed = fc
    .record({ method: fc.constantFrom(...FRAMED), asked, body, isJson: fc.boolean() })
    .map(({ method, asked, body, isJson }) => {
      const type = `Content-Type: ${isJson ? 'application/json' : 'text/plain'}`;
      const head = [`${method} ${asked} HTTP/1.1`, 'Host: localhost', `apikey: ${HOSTILE_KEY}`];
      // A wrong key is a secret too, wherever else it stands in its request.
      const key = [`Authorization: Bearer ${WRONG_KEY}`, `X-Note: saw ${WRONG_KEY}`];
      return [...head, ...key, type, `Content-Length: ${body.length}`, '', body].join('\r\n');
    });
  const good = GOOD[where];
  const last = good.replace('\r\nHost', '\r\nConnection: close\r\nHost');
  return fc
    .tuple(fc.oneof(framed, where === 'control' ? write : framed), fc.boolean())
    .map(([odd, isCut]) => (isCut ? [good, odd, last] : [`${good}${odd}${last}`]));
}

const NAMES = [
  'localhost',
  '',
  '127.0.0.1',
  '::1',
  'localhost.',
  'a\0b',
  '\0',
  '*',
  'a..b',
  '\xff',
];
/** A handshake that is right but for what it names. */
const hello = fc
  .record({
    sni: fc.oneof(
      fc.constantFrom(...NAMES),
      junk,
      fc.nat(15_000).map((long) => 'a'.repeat(long)),
    ),
    alpn: fc.array(fc.oneof(fc.constantFrom('', 'h2', 'http/1.1'), short), { maxLength: 5 }),
  })
  .map(({ sni, alpn }) => clientHello(sni, alpn));

function pipeline(where: keyof typeof GOOD): fc.Arbitrary<string[]> {
  const one = fc.oneof(
    { weight: 6, arbitrary: request(where) },
    { weight: where === 'control' ? 5 : 0, arbitrary: write },
    { weight: 1, arbitrary: fc.oneof(junk, fc.constant(PREFACE), record) },
  );
  const good = GOOD[where];
  return fc
    .tuple(fc.boolean(), one, fc.boolean(), fc.nat(500))
    .map(([before, broken, behind, cut]) => {
      const all = `${before ? good : ''}${broken}${behind ? good : ''}`;
      return cut % 3 === 0 ? [all.slice(0, cut), all.slice(cut)] : [all];
    });
}

const chunksOf: Readonly<Record<Stage, fc.Arbitrary<string[]>>> = {
  control: pipeline('control'),
  'inside-tls': pipeline('service'),
  'before-tls': fc.array(fc.oneof(record, junk, hello, request('service')), {
    minLength: 1,
    maxLength: 3,
  }),
  'behind-tls': fc.array(fc.oneof(record, junk), { minLength: 1, maxLength: 3 }),
};

const ALPN = [[], ['http/1.1'], ['h2', 'http/1.1'], ['http/1.0'], ['h2'], ['\xff']];
const WEIRD_ALPN = [['a'.repeat(255)], Array.from({ length: 200 }, (_, at) => `p${at}`), ['h2c']];

function of(stage: Stage, chunks: fc.Arbitrary<string[]>, leave: fc.Arbitrary<Input['leave']>) {
  return fc.record({
    stage: fc.constant(stage),
    chunks,
    leave,
    alpn: fc.constantFrom(...ALPN, ...WEIRD_ALPN),
    sni: fc.constantFrom('localhost', '', 'evil.example', 'a'.repeat(200), '-', 'xn--', 'a.'),
  });
}

/** Everything that hostile clients do. */
export const input: fc.Arbitrary<Input> = fc
  .constantFrom<Stage>(
    ...(['control', 'control', 'control', 'control', 'before-tls', 'before-tls'] as const),
    ...(['inside-tls', 'inside-tls', 'behind-tls'] as const),
  )
  .chain((stage) => {
    const leave = fc.constantFrom<Input['leave']>('fin', 'fin', 'fin', 'fin', 'destroy', 'reset');
    const any = of(stage, chunksOf[stage], leave);
    if (stage !== 'control' && stage !== 'inside-tls') return any;
    const where = stage === 'control' ? 'control' : 'service';
    const framed = of(stage, sound(where), fc.constant<Input['leave']>('wait')).map((one) => ({
      ...one,
      alpn: ['http/1.1'],
    }));
    return fc.oneof({ weight: 4, arbitrary: any }, { weight: 1, arbitrary: framed });
  });
