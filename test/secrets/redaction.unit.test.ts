import { describe, expect, test, vi } from 'vitest';
import { Redactor, type RequestParts } from '../../src/mock/redaction/redaction.ts';

const KEY = 'k+y/1234=';

function redactorOf(keys: readonly string[] = [KEY]): Redactor {
  const redactor = new Redactor();
  for (const key of keys) redactor.remember(key);
  return redactor;
}

function redactRequest(parts: Partial<RequestParts>, keys?: readonly string[]) {
  const nothing = { headers: {}, path: null, operation: null, query: [], body: '', bodyCut: false };
  return redactorOf(keys).redactRequest({ ...nothing, ...parts });
}

const bodyOf = (body: string, keys?: readonly string[]) => redactRequest({ body }, keys).body;

describe('a configured key is redacted in text', () => {
  test.each([
    ['in upper case', KEY.toUpperCase(), '[redacted]'],
    ['percent-encoded in part', 'a=k%2by/1234=&b', 'a=[redacted]&b'],
    ['percent-encoded throughout', KEY.replace(/./g, hex), '[redacted]'],
    ['with a + decoded as a space', 'k y/1234=', '[redacted]'],
    ['in Unicode escapes', String.raw`{"a":"\u006b+y/1234\u003D"}`, '{"a":"[redacted]"}'],
    ['several times', `${KEY}${KEY}`, '[redacted][redacted]'],
  ])('%s', (_name, text, expected) => expect(redactorOf().redact(text)).toBe(expected));

  test('with spaces, quotes and letters beyond ASCII', () => {
    const key = 'clé "d\'or"\\\n';
    const redactor = redactorOf([key]);
    for (const text of [
      key,
      JSON.stringify(key).slice(1, -1),
      encodeURIComponent(key),
      new URLSearchParams({ key }).toString().slice('key='.length),
      Buffer.from(key).toString('latin1'),
    ]) {
      expect(redactor.redact(`<${text}>`), text).toBe('<[redacted]>');
    }
  });

  test('whose lower case is longer, and after such a letter', () => {
    expect(redactorOf(['İİ-key']).redact('İİ İİ-key.')).toBe('İİ [redacted].');
  });

  test('of fewer than 4 characters only if it is the whole text', () => {
    const redactor = redactorOf(['a', 'key', '']);
    expect(['a', 'KEY', 'a key b', ''].map((text) => redactor.redact(text))).toEqual([
      '[redacted]',
      '[redacted]',
      'a key b',
      '',
    ]);
  });

  test('until it is forgotten as often as it was remembered, apart from others that it contains', () => {
    const redactor = redactorOf([
      'a-key',
      'long-a-key',
      'ab',
      'cd',
      'four',
      'that keeps the search as it is',
    ]);
    const redacted = () => redactor.redact('a-key long-a-key x-a-key');
    expect(redacted()).toBe('[redacted] [redacted] x-[redacted]');
    redactor.remember('long-a-key');
    redactor.forget('long-a-key');
    expect(redacted()).toBe('[redacted] [redacted] x-[redacted]');
    redactor.forget('long-a-key');
    expect(redacted()).toBe('[redacted] long-[redacted] x-[redacted]');
    redactor.remember('long-a-key');
    redactor.forget('a-key');
    expect(redacted()).toBe('a-key [redacted] x-a-key');
    redactor.forget('ab');
    expect(['ab', 'cd'].map((text) => redactor.redact(text))).toEqual(['ab', '[redacted]']);
    expect(redactor.redactJson('{"a":"cd"}')).toBe('{"a":"[redacted]"}');
    const rest = ['four', 'long-a-key', 'that keeps the search as it is', 'ab'];
    for (const key of rest) redactor.forget(key);
    expect(redactor.redact('ab')).toBe('ab');
    expect(redactor.redact('four cd')).toBe('four cd');
    redactor.forget('cd');
    expect(redacted()).toBe('a-key long-a-key x-a-key');
    expect(redactor.size).toMatchObject({ characters: 0, nodes: 0 });
  });

  test('until all that was being read when it was forgotten has been read', async () => {
    const redactor = redactorOf(['a-key', 'another-key']);
    await redactor.during(async () => {});
    redactor.forget('another-key');
    expect(redactor.isSecret('another-key')).toBe(false);
    let read = () => {};
    const reading = redactor.during(() => new Promise<void>((done) => (read = done)));
    redactor.forget('a-key');
    const other = redactor.during(() => new Promise<void>(() => {}));
    expect(redactor.isSecret('a-key')).toBe(true);
    read();
    await reading;
    await Promise.resolve();
    expect(redactor.isSecret('a-key')).toBe(false);
    expect(other).toBeInstanceOf(Promise);
  });

  test('even if the search for it could not be built', () => {
    const redactor = redactorOf(['a-key']);
    expect(redactor.isSecret('a-key')).toBe(true);
    redactor.remember('another-key');
    const set = vi.spyOn(Map.prototype, 'set').mockImplementationOnce(() => {
      throw new RangeError('Map maximum size exceeded');
    });
    try {
      expect(() => redactor.redact('a-key another-key')).toThrow('maximum size');
    } finally {
      set.mockRestore();
    }
    expect(redactor.redact('a-key another-key')).toBe('[redacted] [redacted]');
  });

  test('from its configuration on', () => {
    const redactor = redactorOf([]);
    expect(redactor.isSecret('a first-key b')).toBe(false);
    redactor.remember('first-key');
    for (let count = 0; count < 10_000; count++) redactor.remember(`key-${count}`);
    expect(redactor.isSecret('a first-key b')).toBe(true);
    expect(redactor.redact('first-key key-9999 key')).toBe('[redacted] [redacted] key');
  });
});

describe('a configured key is redacted in JSON, which stays JSON,', () => {
  test.each([
    ['a text', '{ "a": "x k+y/1234= x" }', '{"a":"x [redacted] x"}'],
    ['a name', '{"k+y/1234=":1.00}', '{"[redacted]":1.00}'],
    ['an escaped text', String.raw`["x\nk+y\/1234="]`, String.raw`["x\n[redacted]"]`],
    ['a number', '[567890, 1]', '["[redacted]",1]'],
    ['a part of a number', '{"a":[15678901]}', '{"a":["[redacted]"]}'],
    ['a long number', '{"a":98765432109876543210}', '{"a":"[redacted]"}'],
    ['a number written in another way', '[5.6789E5,1.00]', '["[redacted]",1.00]'],
    ['several values', '["a",["b"]]', '"[redacted]"'],
    ['several values and the space between them', '["c", "d"]', '"[redacted]"'],
    ['a short text', '{"ab":["AB","abc"]}', '{"[redacted]":["[redacted]","abc"]}'],
    ['nothing', ' {"a" : 1.00, "\\u00e9": "é"}', ' {"a" : 1.00, "\\u00e9": "é"}'],
    ['nothing under a secret name', '{"token":"x"}', '{"token":"x"}'],
  ])('%s', (_what, json, expected) => {
    expect(
      redactorOf([KEY, '567890', 'a",["b', 'c", "d', 'ab', '98765432109876543210']).redactJson(
        json,
      ),
    ).toBe(expected);
  });

  test('if no key is short', () => {
    expect(redactorOf().redactJson('["k+y/1234=",12]')).toBe('["[redacted]",12]');
    expect(redactorOf().redactJson('{"a":12}')).toBe('{"a":12}');
    expect(redactorOf(['true', 'null']).redactJson('{"a":true,"b":[null,false,7]}')).toBe(
      '{"a":"[redacted]","b":["[redacted]",false,7]}',
    );
  });
});

test.each([
  ['a key as it is, and escaped', '/a/b~c-key "x-a~1b~0c-key"', '/[redacted] "x-[redacted]"'],
  ['a short key as a whole name', '/ab/abc "e~1" ab', '/[redacted]/abc "[redacted]" ab'],
  ['an escaped short key', '/c~1d must be', '/[redacted] must be'],
  ['nothing', '/a~1b~0c "a~1b"', '/a~1b~0c "a~1b"'],
])('in a sentence with JSON Pointers, %s is redacted', (_what, sentence, expected) => {
  expect(redactorOf(['a/b~c-key', 'ab', 'c/d', 'e~1']).redactPointers(sentence)).toBe(expected);
});

describe('by its name, redaction removes', () => {
  test('a header, and no header without a secret', () => {
    const headers = {
      accept: ['a', 'b'],
      cookie: 'x=1',
      authorization: '',
      'ocp-apim-subscription-key': 'k',
      'x-momo-key': ['k', 'l'],
      'idempotency-key': 'i',
      empty: undefined,
    };
    expect(redactRequest({ headers }).headers).toEqual({
      accept: ['a', 'b'],
      cookie: '[redacted]',
      authorization: '[redacted]',
      'ocp-apim-subscription-key': '[redacted]',
      'x-momo-key': ['[redacted]', '[redacted]'],
      'idempotency-key': 'i',
      empty: '',
    });
  });

  test('a query parameter', () => {
    const search =
      '?token=t&user[password]=p&a=first&a=2&ACCESS_TOKEN=&idempotencyKey=i&__proto__=p';
    const parts = { query: [...new URLSearchParams(search)], body: 'first' };
    const { query, body } = redactRequest(parts);
    expect(body).toBe('first');
    expect(Object.entries(query)).toEqual([
      ['token', '[redacted]'],
      ['user[password]', '[redacted]'],
      ['a', ['first', '2']],
      ['ACCESS_TOKEN', '[redacted]'],
      ['idempotencyKey', 'i'],
      ['__proto__', 'p'],
    ]);
  });

  test.each([
    ['a text', '{"apiKey": "x", "b": 1}', '{"apiKey":"[redacted]","b":1}'],
    ['at any depth', '[{"a":{"token":"x"}}]', '[{"a":{"token":"[redacted]"}}]'],
    ['a number', '{"token":12.5,"b":1}', '{"token":"[redacted]","b":1}'],
    ['a repeated number', '{"token":123456,"b":123456}', '{"token":"[redacted]","b":"[redacted]"}'],
    [
      'a number as written, and as JavaScript writes it',
      '{"token":1234.50,"b":["1234.50","1234.5",1234.500,1.00]}',
      '{"token":"[redacted]","b":["[redacted]","[redacted]","[redacted]",1.00]}',
    ],
    ['null', '{"token":null,"b":[null,true]}', '{"token":"[redacted]","b":[null,true]}'],
    ['a list', '{"keys":["a",["b"]],"c":1}', '{"keys":"[redacted]","c":1}'],
    ['an object', '{"auth":{"a":[{}],"b":","},"c":1}', '{"auth":"[redacted]","c":1}'],
    ['an escaped name', '{"\\u0074oken":"x"}', '{"token":"[redacted]"}'],
    ['escaped quotes', '{"token":"a\\"b","c":1}', '{"token":"[redacted]","c":1}'],
    [
      'each of several',
      '{"key":"abcd","key":"b","c":"abcd"}',
      '{"key":"[redacted]","c":"[redacted]"}',
    ],
    ['a line each', '{"key":"a"}\n{"key":"b"}', '{"key":"[redacted]"}\n{"key":"[redacted]"}'],
    ['a text that starts like a name', '["a",\n": 1","\\"key"]', '["a",\n": 1","\\"key"]'],
    ['a broken name', '{"\\x":"a"', '{"\\x":"a"'],
    ['a cut text', '{"a":1,"token":"x', '{"a":1,"token":"[redacted]'],
    ['a cut object', '{"auth":{"a":"x","b', '{"auth":[redacted]'],
    ['without quotes', '{token: x, a: 1}', '{token: [redacted], a: 1}'],
    ['in single quotes', "{'token': 'x, y', 'a': 1}", `{'token': '[redacted]', 'a': 1}`],
    ['after an open quote', '{"a":"b,"token":"x"}', '{"a":"b,"token":"[redacted]"}'],
    ['escaped', '\\{\\"token\\": \\"x\\"}', '\\{\\"token\\": \\"[redacted]'],
    ['nothing of an idempotency key', '{"idempotencyKey":"x"}', '{"idempotencyKey":"x"}'],
    ['no value', '{"a":"token","b":["key"]}', '{"a":"token","b":["key"]}'],
    ['no text', '{"a":"token: x, key=y"}', '{"a":"token: x, key=y"}'],
  ])('a field of JSON: %s', (_what, body, expected) => expect(bodyOf(body)).toBe(expected));

  test.each([
    ['a=1&token=x y&b="', 'a=1&token=[redacted]&b="'],
    ['token=some words&a=some', 'token=[redacted]&a=some'],
    ['access%5Ftoken=x&%6Bey=y', 'access%5Ftoken=[redacted]&%6Bey=[redacted]'],
    ['user[password]=x', 'user[password]=[redacted]'],
    ['token=&a=1', 'token=[redacted]&a=1'],
    ['key=a=b&idempotency_key=i', 'key=[redacted]&idempotency_key=i'],
    ['token', 'token'],
    [`[\n'token' => 'x', 'a' => 1]`, `[\n'token' => '[redacted]', 'a' => 1]`],
    ['a: 1\ntoken: x y\n', 'a: 1\ntoken: [redacted]\n'],
  ])('a field of the form %j', (body, expected) => expect(bodyOf(body)).toBe(expected));

  test.each([
    ['<a><token>x</token><b>1</b></a>', '<a><token>[redacted]</token><b>1</b></a>'],
    [
      '<?xml version="1.0"?><s:ApiKey>x</s:apikey>',
      '<?xml version="1.0"?><s:ApiKey>[redacted]</s:apikey>',
    ],
    ['<a token="x" b=\'y\' key=z c="key"/>', '<a token="[redacted]" b=\'y\' key=[redacted]"key"/>'],
    ['<token value="x>y"/><b>1</b>', '<token[redacted]'],
    ['<token>x<b>y</b>z</token>', '<token>[redacted]'],
    ['<auth><u>x</u><auth>y</auth>z</auth><b>1</b>', '<[redacted]>[redacted]'],
    ['<key><![CDATA[</key>x]]></key>y', '<key>[redacted]'],
    ['<!-- <key> --><a>1</a>', '<!-- <key>[redacted]'],
    ['<a key="x', '<a key="[redacted]'],
    ['<idempotencyKey>x</idempotencyKey>', '<idempotencyKey>x</idempotencyKey>'],
  ])('an element or attribute of %j', (body, expected) => expect(bodyOf(body)).toBe(expected));

  const part = (name: string, content: string, more = '') =>
    `----b\r\nContent-Disposition: form-data; ${name}${more}\r\n\r\n${content}\r\n`;
  test.each([
    {
      what: 'of that name',
      name: 'name="token"; filename="f"',
      content: '-----\nx\r\n--',
      expected: '[redacted]',
    },
    { what: 'whose name has no quotes', name: 'name=my_key', content: 'x', expected: '[redacted]' },
    {
      what: 'with its delimiter inside a line',
      name: 'name="token"',
      content: 'x----b y',
      expected: '[redacted]',
    },
    {
      what: 'with JSON in it',
      name: 'name="a"',
      content: '{"token":"x"}',
      expected: '{"token":"[redacted]"}',
    },
    {
      what: 'with XML in it',
      name: 'name="a"',
      content: '<key>x</key>',
      expected: '<key>[redacted]</key>',
    },
    {
      what: 'with a form in it',
      name: 'name="a"',
      content: 'b=1&key=x',
      expected: 'b=1&key=[redacted]',
    },
    {
      what: 'with a file of that name',
      name: 'filename="key"; name="a"',
      content: 'x',
      expected: '[redacted]',
    },
    { what: 'of another name', name: 'filename="f"; name="a"', content: 'x', expected: 'x' },
  ])('a part $what', ({ name, content, expected }) => {
    const more = '\r\nContent-Type: text/plain';
    const bodyWith = (text: string) =>
      `${part('name="first"', '1')}${part(name, text, more)}${part('name="last"', '2')}----b--\r\n`;
    expect(bodyOf(bodyWith(content))).toBe(bodyWith(expected));
    expect(bodyOf(bodyWith(content).replaceAll('\r', ''))).toBe(
      bodyWith(expected).replaceAll('\r', ''),
    );
  });

  test('a part that was cut', () => {
    expect(bodyOf(part('name="token"', 'x').trimEnd())).toBe(
      part('name="token"', '[redacted]').trimEnd(),
    );
    expect(bodyOf('----b\r\nContent-Disposition: form-data; na')).toMatch(/; na$/);
  });
});

describe('a value under the name of a secret is redacted in the whole request', () => {
  const everywhere = (parts: Partial<RequestParts>, value: string) =>
    redactRequest({
      path: `/a/${value}`,
      headers: { 'x-note': `a ${value} b`, [`x-${value}`]: '1', ...parts.headers },
      query: [['note', value], [`q-${value}`, '2'], ...(parts.query ?? [])],
      body: `${JSON.stringify({ note: value })}${parts.body ?? ''}`,
    });

  test.each<[string, Partial<RequestParts>, string?]>([
    ['one of several headers', { headers: { 'x-key': ['other', 'wrong-1'] } }],
    ['joined headers', { headers: { 'x-key': 'other, wrong-1' } }],
    ['a cookie in quotes', { headers: { cookie: 'sid="wrong-1"; a=1' } }],
    ['Basic', { headers: { authorization: `Basic ${btoa('wrong-1:1')}` } }],
    ['the password of Basic', { headers: { authorization: `basic ${btoa('a:wrong-1')}` } }],
    ['JSON', { body: '{"token":"wrong-\\u0031"}' }],
    ['cut JSON', { body: '{"auth":{"a":"wrong-1"' }],
    ['cut JSON with an encoded text', { body: '{"token":"wrong&%31"' }, 'wrong&1'],
    ['an element', { body: '<token>\nwrong-\\u0031\n</token>' }],
    ['an element in another one', { body: '<auth><a>wrong 1</a></auth>' }, 'wrong 1'],
    ['a number in JSON', { body: '{"token": 12345678901234567890}' }, '12345678901234567890'],
  ])('%s', (_where, parts, value = 'wrong-1') => {
    const shown = everywhere(parts, value);
    expect(JSON.stringify(shown)).not.toContain(value);
    expect(shown.headers).toMatchObject({ 'x-note': 'a [redacted] b', 'x-[redacted]': '1' });
    expect(shown.query).toMatchObject({ note: '[redacted]', 'q-[redacted]': '2' });
    expect(shown.body).toContain('{"note":"[redacted]"}');
    expect(shown.path).toBe('/a/[redacted]');
  });

  test('and in what is shown with it, with the secrets of others', () => {
    const request = { headers: { token: 'secret-2' }, body: 'secret-1 secret-3' };
    const also = { key: 'secret-1', note: 'secret-2' };
    const shown = { headers: { token: '[redacted]' }, query: {}, path: null };
    expect(redactorOf().redactRequest(request)).toStrictEqual({ ...shown, body: request.body });
    const others = [{ headers: {}, body: 'token=secret-3' }];
    expect(redactorOf().redactRequest({ ...request, also }, others)).toEqual({
      ...shown,
      body: '[redacted] [redacted]',
      also: { key: '[redacted]', note: '[redacted]' },
    });
  });

  test('after a thousand other values, and not in the next request', () => {
    const redactor = redactorOf();
    const request = (apiKey: string, note: string) =>
      redactor.redactRequest({
        headers: { note },
        path: null,
        operation: null,
        query: [['apikey', apiKey]],
        body: '',
        bodyCut: false,
      }).headers;
    for (let count = 0; count < 1000; count++) request(`wrong-${count}`, '');
    expect(request('wrong-0', 'wrong-0 wrong-1')).toEqual({ note: '[redacted] wrong-1' });
  });

  const secretsOf = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, id) => ({ key: `wrong-${id}`, note: id })));

  test.each([
    [64, { body: /^\[\{"key":"\[redacted\]","note":0/, note: 'a' }],
    [65, { body: /^\[redacted\]$/, note: 'a' }],
    [1000, { body: /^\[redacted\]$/, note: 'a' }],
    [1001, { body: /^\[redacted\]$/, note: '[redacted]' }],
  ])(
    'with %i secrets: the whole body above 64, and every value above 1,000',
    (count, { body, note }) => {
      const parts = {
        headers: { note: 'a', found: 'wrong-1' },
        path: '/a',
        body: secretsOf(count),
      };
      const shown = redactRequest(parts);
      expect(shown.headers).toEqual({
        ...(note === 'a' && { note }),
        ...(note === 'a' && { found: '[redacted]' }),
        ...(note !== 'a' && { [note]: [note, note] }),
      });
      expect(shown.body).toMatch(body);
    },
  );

  test('but not a value of fewer than 4 characters', () => {
    const headers = { pass: '123', token: '1234', a: '123', b: '1234' };
    expect(redactRequest({ headers }).headers).toMatchObject({ a: '123', b: '[redacted]' });
    expect(bodyOf('token=&a=')).toBe('token=[redacted]&a=');
  });
});

describe('a configured key is redacted in a request', () => {
  test('as a name', () => {
    const keys = ['Right-Key-1', 'apikey'];
    const shown = redactRequest(
      {
        headers: { 'right-key-1': 'a', 'x-right-key-1': 'b', apikey: 'c' },
        query: [
          ['Right-Key-1', ''],
          ['right-key-1', 'd'],
          ['apikey', 'e'],
        ],
        body: '{"Right-Key-1":{"apikey":"f"}}',
      },
      keys,
    );
    expect(shown).toMatchObject({
      headers: { '[redacted]': ['[redacted]', '[redacted]'], 'x-[redacted]': '[redacted]' },
      query: { '[redacted]': ['[redacted]', '[redacted]', '[redacted]'] },
      body: '{"[redacted]":"[redacted]"}',
    });
  });

  test.each([
    [
      '{"a":"_","ab":"a","c":[" A ",1]}',
      '{"[redacted]":"_","ab":"[redacted]","c":["[redacted]","[redacted]"]}',
    ],
    ['a=1&b=a&a', '[redacted]=[redacted]&b=[redacted]&[redacted]'],
    [
      '<b a="a">a</b><c>\n1\n</c>',
      '<b [redacted]="[redacted]">[redacted]</b><c>\n[redacted]\n</c>',
    ],
    [
      '--b\r\nContent-Disposition: form-data; name=b\r\n\r\na\r\n--b--',
      '--b\r\nContent-Disposition: form-data; name=b\r\n\r\n[redacted]\r\n--b--',
    ],
    ['a', '[redacted]'],
    ['["ab","aa"]', '["ab","aa"]'],
  ])('with few characters as a whole name or value of %j', (body, expected) => {
    expect(bodyOf(body, ['a', '1'])).toBe(expected);
  });

  test.each(['k+y/', 'k%2By/%3', 'k+y/1234\\u003', 'k%2By%2F123', 'k+y\\/1', 'k+y/\\u003', KEY])(
    'at the end of a body that was cut after %s',
    (tail) => {
      const cut = (body: string) => redactRequest({ body, bodyCut: true }).body;
      expect(cut(`x=1&y=${tail}`)).toBe('x=1&y=[redacted]');
      const own = { headers: { token: KEY }, body: `x=1&y=${tail}`, bodyCut: true };
      expect(redactRequest(own, []).body).toBe('x=1&y=[redacted]');
      expect(redactRequest({ body: `y=${tail}` }).body).toBe(
        tail === KEY ? 'y=[redacted]' : `y=${tail}`,
      );
    },
  );

  test('together with a secret of the request, but nothing far from the cut', () => {
    const headers = { token: 'a-secret-of-this-request' };
    const body = `a-secret-of-that${' '.repeat(100)}a-secret-of`;
    const shown = redactRequest({ headers, body, bodyCut: true });
    expect(shown.body).toBe(`a-secret-of-that${' '.repeat(100)}[redacted]`);
  });
});

test('the words of an operation stay in a path, even if a key is such a word', () => {
  const keys = ['balance', 'somebody', 'x/balance/y', 'abc'];
  const pathOf = (path: string, operation: string | null) =>
    redactRequest({ path, operation }, keys).path;
  const operation = 'GET /momo/BALANCE/:of';
  expect(pathOf('/MOMO/Balance/somebody', operation)).toBe('/MOMO/Balance/[redacted]');
  expect(pathOf('/momo/x-somebody', operation)).toBe('/momo/x-[redacted]');
  expect(pathOf('/momo/%2573omebody', operation)).toBe('[redacted]');
  expect(pathOf('/momo/a%2562', operation)).toBe('/momo/a%2562');
  expect(pathOf('/momo/balance/abc', operation)).toBe('/momo/balance/[redacted]');
  expect(pathOf('/momo/balance/abcd', operation)).toBe('/momo/balance/abcd');
  expect(pathOf('/x/balance/y', operation)).toBe('/[redacted]');
  expect(pathOf('/balance/get', null)).toBe('/[redacted]/get');
});

describe('the loggable path', () => {
  test.each([
    ['/momo/balanc', '/momo/balanc'],
    ['/momo/balanc/', '/momo/balanc/'],
    ['/', '/'],
    ['/momo/2348012', '/momo/…'],
    ['/v2/Momo.Pay/check_out-now', '/v2/Momo.Pay/check_out-now'],
    ['/v/v12/v1234/v2x', '/v/v12/…/…'],
    [`/${'a'.repeat(24)}/${'a'.repeat(25)}`, `/${'a'.repeat(24)}/…`],
    ['/é/a b/a%2Fb', '/…/…/…'],
    ['/my-right-key/right-key/right', '/…/…/right'],
    ['/abc/abcd', '/…/abcd'],
    ['/momo/xsla/shedx', '/…'],
  ])('for %s is %s', (path, expected) => {
    const segments = path.slice(1).split('/').map(decodeURIComponent);
    const redactor = redactorOf(['right-key', 'abc', 'sla/shed']);
    expect(redactor.loggablePath(segments)).toBe(expected);
  });
});

function hex(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
