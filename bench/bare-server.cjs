// What momo-mock is measured against: a bare node:https server that gives the same answer, and
// checks path and key the simple way.
const { readFileSync } = require('node:fs');
const { createServer } = require('node:https');

const [port, certFile, keyFile, answerFile] = process.argv.slice(2);
const body = Buffer.from(readFileSync(answerFile, 'utf8').trimEnd());
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
  'content-length': body.length,
};

// Without noDelay each new connection would wait for a delayed ACK.
const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile), noDelay: true };
createServer(tls, (request, response) => {
  const [path, query] = request.url.split('?');
  if (request.method !== 'GET' || path !== '/momo/balance') {
    response.writeHead(404).end();
  } else if (new URLSearchParams(query).get('apikey') !== 'momo_test_key') {
    response.writeHead(401).end();
  } else {
    response.writeHead(200, headers).end(body);
  }
}).listen(Number(port), 'localhost');
