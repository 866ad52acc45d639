// A shop with the real client library of the API, whose base URL is built in.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import momo from '@chipdeals/momo-api';

console.log = () => {};
momo.setApiKey(process.env.MOMO_MOCK_APIKEY).logs(false);
/** The state of each order. */
const orders = new Map();

function pay({ id, amount, currency, phone }) {
  if (orders.has(id)) return;
  orders.set(id, 'pending');
  momo
    .collect()
    .amount(amount)
    .currency(currency)
    .from(phone)
    .create()
    .onSuccess(() => orders.set(id, 'PAID'))
    .onError(() => orders.set(id, 'canceled'));
}

createServer(async (request, response) => {
  if (request.method === 'POST') pay(await json(request));
  response.end(JSON.stringify({ order: { state: orders.get(request.url.split('/')[2]) ?? '' } }));
}).listen(process.env.PORT, '127.0.0.1');
