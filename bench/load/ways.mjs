import { performance } from 'node:perf_hooks';

/** Calls until it was done so often, or the time is over. */
function bounded({ count, seconds }) {
  const until = performance.now() + seconds * 1000;
  let begun = 0;
  return () => begun < count && performance.now() < until && ++begun > 0;
}

/** Asks on all connections at once. Gives how many answers came. */
export function asFastAsItGoes(lines, bounds) {
  const more = bounded(bounds);
  let answered = 0;
  let busy = lines.length;
  return new Promise((done) => {
    for (const line of lines) {
      const next = () => {
        if (more()) line.ask();
        else if (--busy === 0) done(answered);
      };
      line.take = () => {
        answered++;
        next();
      };
      next();
    }
  });
}

/**
 * Asks at a fixed rate, however long answers take. Gives how long each took, in ms: since it was
 * sent, or since it was due where no connection was free for it.
 */
export function atRate(lines, { rate, seconds }) {
  const idle = [...lines];
  const waiting = [];
  const took = [];
  const began = performance.now();
  let begun = 0;
  const ask = (line, since) => {
    line.take = () => {
      took.push(performance.now() - since);
      const overdue = waiting.shift();
      if (overdue === undefined) idle.push(line);
      else ask(line, overdue);
    };
    line.ask();
  };
  return new Promise((done) => {
    const look = () => {
      for (; begun < rate * seconds; begun++) {
        const due = began + (begun * 1000) / rate;
        if (due > performance.now()) break;
        const line = idle.shift();
        if (line === undefined) waiting.push(due);
        else ask(line, performance.now());
      }
      if (took.length === rate * seconds) done(took);
      else setTimeout(look, 1);
    };
    look();
  });
}

/** Opens new connections, some at once, with one request on each. Gives how many were answered. */
export function newConnections(open, { atOnce, ...bounds }) {
  const more = bounded(bounds);
  let answered = 0;
  let busy = atOnce;
  return new Promise((done) => {
    const next = () => {
      if (!more()) {
        if (--busy === 0) done(answered);
        return;
      }
      open((line) => {
        line.take = () => {
          answered++;
          line.end();
          next();
        };
        line.ask();
      });
    };
    for (let i = 0; i < atOnce; i++) next();
  });
}
