#!/usr/bin/env node
// The command `momo-mock`.
import('./cli/main.ts').then(async ({ main }) => {
  process.exitCode = await main(process.argv.slice(2));
  // A timer or a socket of a handler would keep the process running.
  setTimeout(() => process.exit(), 1000).unref();
});
