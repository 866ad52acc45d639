// GETs a URL, trusting what NODE_EXTRA_CA_CERTS names: client.mjs URL
await fetch(process.argv[2]).then(
  async (response) => process.stdout.write(await response.text()),
  (error) => {
    process.stderr.write(`${error.cause?.code}\n`);
    process.exitCode = 1;
  },
);
