// Reading HTTP answers with as little work as can be, so that the client is not what is measured.

const EMPTY = Buffer.alloc(0);

/**
 * The answer at the start of some bytes; `undefined` as long as it is not whole.
 *
 * @throws Error where it is not a 200
 * @returns how long all of it is, and its body
 */
export function readAnswer(bytes) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.latin1Slice(0, end);
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`it answered ${head.split('\r\n', 1)}`);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) {
    if (!/\r\ntransfer-encoding: *chunked/i.test(head)) throw new Error('its answer has no length');
    return readChunks(bytes, end + 4);
  }
  const whole = end + 4 + Number(length);
  return bytes.length < whole ? undefined : { whole, body: Number(length) };
}

function readChunks(bytes, start) {
  let body = 0;
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.latin1Slice(at, line), 16);
    at = line + 2 + size + 2;
    if (at > bytes.length) return undefined;
    if (size === 0) return { whole: at, body };
    body += size;
  }
}

/** Calls back with each answer that comes over a socket: the length of its body. */
export function onAnswers(socket, take, fail) {
  let held = EMPTY;
  const receive = (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    for (let answer = readAnswer(held); answer !== undefined; answer = readAnswer(held)) {
      held = held.subarray(answer.whole);
      take(answer.body);
      if (held.length === 0) return;
    }
  };
  socket.on('data', (chunk) => {
    try {
      receive(chunk);
    } catch (error) {
      fail(error);
    }
  });
}

/** The bytes of a GET. */
export function requestFor(target) {
  return Buffer.from(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 'latin1');
}
