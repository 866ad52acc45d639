// Has a process write down what its memory consists of on SIGUSR2, in bytes, in the file that
// BENCH_HEAP_FILE names.
process.on('SIGUSR2', () => {
  const { getHeapSpaceStatistics } = require('node:v8');
  const { renameSync, writeFileSync } = require('node:fs');
  const spaces = getHeapSpaceStatistics().map((space) => [
    space.space_name,
    space.physical_space_size,
  ]);
  const file = process.env.BENCH_HEAP_FILE;
  const text = JSON.stringify({ all: process.memoryUsage.rss(), ...Object.fromEntries(spaces) });
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
});
