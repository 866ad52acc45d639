import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** Starts the webhook of an application. It takes signed payments, after `failures` errors. */
export async function startWebhook({ failures = 0 } = {}) {
  const payments = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const signature = createHmac('sha256', 'test_webhook_secret').update(body).digest('hex');
    if (request.headers['x-signature'] !== signature) response.statusCode = 401;
    else if (failures-- > 0) response.statusCode = 503;
    else payments.push(JSON.parse(body));
    response.end();
  });
  await once(server.listen(0, 'localhost'), 'listening');
  return {
    url: `http://localhost:${server.address().port}/payments`,
    payments,
    close: () => server.close(),
  };
}
