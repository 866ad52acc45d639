// Has a process end of itself on SIGTERM: only then does `--cpu-prof` write its profile.
process.once('SIGTERM', () => process.exit(0));
