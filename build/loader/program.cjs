const { setTimeout } = require('node:timers');
const { program, keep, isKept } = require('./load.cjs')('momo-mock.cjs');

// Only keep the code after the start: a short command, such as `cert`, compiles too little of it.
setTimeout(keep, 1000).unref();

module.exports = { program, keep, isKept };
