#!/usr/bin/env node
require('./program.cjs').cli();
