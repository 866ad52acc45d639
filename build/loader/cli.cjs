#!/usr/bin/env node
const { program, keep } = require('./load.cjs')('momo-mock.cjs');

program.cli();
// A process that has ended by then, such as one for `--version`, has compiled too little.
setTimeout(keep, 1000).unref();
