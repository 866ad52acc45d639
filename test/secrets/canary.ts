export const CONFIGURED = 'canary+right/0a9b8c7d=';
export const WRONG = 'canary+wrong/1f2e3d4c=';
/** Of an account that a test created: only its creation and snapshots show it. */
export const CREATED = 'canary+made/9d8e7f6a=';
/** Signs webhooks. Snapshots have it. */
export const SIGNING = 'canary+sign/5c6b7a8d=';

/** Every way in which a key could reach the service, right or wrong. */
export function requests(key: string): string[] {
  const coded = encodeURIComponent(key);
  const head = 'Host: x\r\nConnection: close\r\n\r\n';
  const targets = [
    `/momo/balance?apikey=${coded}`,
    `/momo/balance/?x=1&apikey=${coded}`,
    `/MOMO/balance?apikey=${coded}`,
    `/momo/balance?apikey=${coded}&apikey=${coded}`,
    `/momo/balance?apikey=${key}`,
    `/momo/balance?apikey[]=${coded}`,
    `/momo/balance?apiKey=${coded}`,
    `/momo/balance?${coded}&apikey=${coded}`,
    `/momo/balance?apikey=${coded}%zz`,
    `/momo/balance?apikey=${coded}%00`,
    `/${coded}`,
    `/momo/${coded}/balance?apikey=${coded}`,
    `/momo/balance/${key}`,
    `/momo/%zz${coded}`,
    `/momo/balance?apikey=${coded}&x=${'a'.repeat(20_000)}`,
    `https://${coded}/momo/balance?apikey=${coded}`,
    coded,
    `/momo/balance?apikey=${coded}#${coded}`,
  ];
  return [
    ...targets.map((target) => `GET ${target} HTTP/1.1\r\n${head}`),
    ...['POST', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT'].map(
      (method) => `${method} /momo/balance?apikey=${coded} HTTP/1.1\r\n${head}`,
    ),
    `CONNECT ${coded}:443 HTTP/1.1\r\n${head}`,
    `CONNECT x.test:443 HTTP/1.1\r\nProxy-Authorization: Bearer ${key}\r\n${head}`,
    `GET /momo/balance HTTP/1.1\r\napikey: ${key}\r\nAuthorization: Bearer ${key}\r\n${head}`,
    `GET /momo/balance HTTP/1.1\r\nCookie: apikey=${key}\r\nReferer: https://x/?apikey=${coded}\r\n${head}`,
    `GET /momo/balance?apikey=${coded} HTTP/1.1\r\nOrigin: https://${key}\r\n${head}`,
    ...bodies(key).map(
      ([type, body]) =>
        `POST /momo/balance HTTP/1.1\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n${head}${body}`,
    ),
    `GET /momo/balance?apikey=${coded} HTTP/1.1\r\nbroken ${key}\r\n${head}`,
    `${coded} /momo/balance HTTP/1.1\r\n${head}`,
    `GET /momo/balance?apikey=${coded}\r\n\r\n`,
    `GET /momo/balance?apikey=${coded} HTTP/1.1\r\n\r\n`,
  ];
}

/** A key under the name of a secret in a body of each kind, and in one that is cut for the journal. */
function bodies(key: string): [type: string, body: string][] {
  const field = (name: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${key}\r\n`;
  return [
    ['application/json', JSON.stringify({ apikey: key })],
    ['application/json', JSON.stringify({ user: [{ password: key }], note: `x ${key} y` })],
    ['application/x-www-form-urlencoded', `x=1&api_key=${encodeURIComponent(key)}`],
    ['multipart/form-data; boundary=b', `${field('token')}${field('x')}--b--\r\n`],
    ['application/xml', `<a secret="${key}"><session>${key}</session><b>${key}</b></a>`],
    ['application/json', JSON.stringify({ apikey: key, text: key.repeat(10_000) })],
  ];
}

/** A key in all the shapes in which it could be found. */
function shapes(key: string): string[] {
  const bytes = Buffer.from(key);
  // Base64 depends on what stands before: the core of each of the three alignments.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  const raw = [
    key,
    encodeURIComponent(key),
    encodeURIComponent(encodeURIComponent(key)),
    JSON.stringify(key).slice(1, -1),
  ];
  return [
    ...raw,
    key.slice(7, -1),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** The keys in a text, by the shapes in which they stand there. */
export function found(text: string, keys = [CONFIGURED, WRONG, SIGNING]): string[] {
  const lower = text.toLowerCase();
  return keys.flatMap(shapes).filter((shape) => lower.includes(shape.toLowerCase()));
}

/** A webhook that is signed, whose secret is in each of its parts. */
export const SIGNED = {
  url: `http://user:${encodeURIComponent(SIGNING)}@127.0.0.1:1/${SIGNING}?a=${encodeURIComponent(SIGNING)}`,
  headers: { 'x-note': SIGNING },
  body: { note: `x ${SIGNING} y`, [SIGNING]: [SIGNING] },
  sign: { secret: SIGNING, headers: { 'verif-hash': '{secret}', 'x-copy': '{body}' } },
};

/** A webhook that waits for its second attempt, with a configured key in each of its parts. */
export const WAITING = {
  url: `http://127.0.0.1:1/${CONFIGURED}?apikey=${encodeURIComponent(CONFIGURED)}`,
  headers: { 'x-note': CONFIGURED.toUpperCase() },
  body: { note: `x ${CONFIGURED} y`, [CONFIGURED]: [encodeURIComponent(CONFIGURED)] },
  retry: [3_600_000],
};

/** A snapshot of an account with a key in each of its parts, and most of them wrong. */
export const ODD_SNAPSHOT = (key: string) => ({
  version: 1,
  timers: 0,
  account: {
    variant: key,
    state: [{ name: key, json: key }],
    responses: [{ response: JSON.stringify({ operation: key }), used: 0 }],
    webhooks: [{ webhook: key }],
    [key]: key,
  },
});
