import { once } from 'node:events';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';

/** Sends a request to the API, and returns the status and the body. */
export async function call({ url, apikey, agent }, method, path, body) {
  const headers = { 'content-type': 'application/json' };
  const sent = request(`${url}${path}?apikey=${apikey}`, { method, headers, agent });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, ...(await json(response)) };
}
