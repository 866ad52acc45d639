// npm install --save-dev testcontainers, and momo-mock as docs/get-started.md shows.
// Replace OWNER. No image is published yet: build yours in a clone of momo-mock, and push it:
//   docker build -t ghcr.io/OWNER/momo-mock:0.1.0 .
//   docker push ghcr.io/OWNER/momo-mock:0.1.0
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:https';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { connectMomoMock } from 'momo-mock';
import { GenericContainer, Wait } from 'testcontainers';

let container;
let mock;

before(async () => {
  container = await new GenericContainer(process.env.MOMO_IMAGE ?? 'ghcr.io/OWNER/momo-mock:0.1.0')
    .withExposedPorts(8443, 8480)
    .withWaitStrategy(Wait.forHealthCheck())
    .start();
  const at = (port) => `localhost:${container.getMappedPort(port)}`;
  mock = await connectMomoMock(`http://${at(8480)}`, { url: `https://${at(8443)}` });
});

after(async () => {
  await mock?.close();
  await container?.stop();
});

test('the balance is what the test says', async () => {
  const momo = await mock.createAccount({ balance: { balance: 500, currency: 'XOF' } });
  const target = `${momo.url}/momo/balance?apikey=${momo.apiKey}`;
  const [response] = await once(get(target, { ca: momo.ca }), 'response');
  assert.deepEqual(await json(response), { balance: 500, currency: 'XOF' });
});
