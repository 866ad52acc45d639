// mockttp has no command: this is the few lines that its documentation shows.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');

const [folder, port, certPath, keyPath, answer] = process.argv.slice(2);
const mockttp = createRequire(`${folder}/`)('mockttp');

const body = readFileSync(answer, 'utf8').trimEnd();
const headers = {
  'content-type': 'application/json; charset=utf-8',
  // It adds no length where it is given headers, and would close each connection.
  'content-length': `${Buffer.byteLength(body)}`,
};

async function main() {
  const server = mockttp.getLocal({ https: { certPath, keyPath } });
  await server.start(Number(port));
  await server
    .forGet('/momo/balance')
    .withQuery({ apikey: 'momo_test_key' })
    .thenReply(200, body, headers);
}

main();
