// A shop that gets a token from MTN when it starts, and ends if it gets none.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const [port, url, apiKey, apiUser, apiUserKey, environment] = process.argv.slice(2);
const orders = new Map();

async function call(method, path, authorization, more = {}, body = undefined) {
  const headers = { 'ocp-apim-subscription-key': apiKey, authorization, ...more };
  const signal = AbortSignal.timeout(5000);
  return await fetch(`${url}${path}`, { method, headers, body, signal });
}

const basic = `Basic ${btoa(`${apiUser}:${apiUserKey}`)}`;
const granted = await call('POST', '/collection/token/', basic);
if (!granted.ok) throw new Error(`There is no token: ${granted.status}.`);
const bearer = `Bearer ${(await granted.json()).access_token}`;
const target = { 'x-target-environment': environment };

async function pay({ id, amount, currency, phone }) {
  const reference = randomUUID();
  orders.set(id, { reference, state: 'pending' });
  const headers = { ...target, 'x-reference-id': reference, 'content-type': 'application/json' };
  const payer = { partyIdType: 'MSISDN', partyId: phone };
  const body = JSON.stringify({ amount, currency, externalId: id, payer });
  await call('POST', '/collection/v1_0/requesttopay', bearer, headers, body);
}

async function check(order) {
  const path = `/collection/v1_0/requesttopay/${order.reference}`;
  const response = await call('GET', path, bearer, target);
  if (!response.ok) return;
  const { status } = await response.json();
  if (status !== 'PENDING') order.state = status;
}

const server = createServer(async (request, response) => {
  const order = orders.get(request.url.slice(1));
  try {
    if (request.method === 'POST') await pay(await json(request));
    else if (order?.state === 'pending') await check(order);
  } catch {
    // The order stays pending, and is asked for again.
  }
  response.end(JSON.stringify({ state: order?.state }));
});
server.listen(Number(port), '127.0.0.1');
