const { setTimeout } = require('node:timers');
const { program, keep } = require('./load.cjs')('momo-mock.cjs');

// After the start. A command that ends sooner, such as `cert`, has compiled too little of it.
setTimeout(keep, 1000).unref();

module.exports = { program, keep };
