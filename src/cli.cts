#!/usr/bin/env node
// The command `momo-mock`.
import('./cli/main.ts').then(async ({ main }) => {
  process.exitCode = await main(process.argv.slice(2));
});
