const { setTimeout } = require('node:timers');
const { program, keep } = require('./load.cjs')('momo-mock.cjs');

module.exports = program;

// After the start, and at the end of a process that takes less time, as many tests do.
setTimeout(keep, 1000).unref();
process.once('exit', keep);
