import { onAnswers, requestFor } from './answers.mjs';
import { connector } from './connector.mjs';

/** The load cannot go on: what was measured until now means nothing. */
function fail(error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/**
 * Makes what opens connections for a load: each answer must be a 200 and as long as the first.
 *
 * @param job `{ address, port, ca, targets }`; the targets are asked for in turn
 */
export function lineOpener(job) {
  // The first answer has shown that the certificate is good.
  const connect = connector({ ...job, verify: false });
  const requests = job.targets.map(requestFor);
  let turn = 0;
  let expected;
  const check = (body) => {
    expected ??= body;
    if (body !== expected || body === 0) fail(new Error(`an answer has ${body} bytes`));
  };

  /** A connection. Calls back when it is there, and `line.take` with each answer. */
  const open = (ready) => {
    const line = { take: () => {}, ask: () => socket.write(requests[turn++ % requests.length]) };
    const socket = connect(() => ready(line));
    line.end = () => socket.end();
    socket.on('error', fail);
    onAnswers(
      socket,
      (body) => {
        check(body);
        line.take();
      },
      fail,
    );
    return socket;
  };

  /** So many connections, which must stay. */
  const openAll = (count) =>
    Promise.all(
      Array.from(
        { length: count },
        () =>
          new Promise((ready) => {
            const closed = () => fail(new Error('a kept-alive connection was closed'));
            open(ready).on('close', closed);
          }),
      ),
    );
  return { open, openAll };
}
