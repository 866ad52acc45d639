const { setTimeout } = require('node:timers');
const load = require('./load.cjs');

const parts = new Map();

/** Loads a part of the program, once, with the code that was kept. Returns its exports. */
exports.part = (name) => {
  let part = parts.get(name);
  if (part === undefined) {
    part = load(name);
    parts.set(name, part);
    // Only keep the code after the start: a short command, such as `cert`, compiles too little of it.
    setTimeout(part.keep, 1000).unref();
  }
  return part.program;
};

exports.program = exports.part('momo-mock.cjs');

/** Keeps the code of the parts that have none. */
exports.keep = () => {
  for (const { isKept, keep } of parts.values()) if (!isKept()) keep();
};
