#!/usr/bin/env node
require('./program.cjs').program.cli();
