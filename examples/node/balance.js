import axios from 'axios';
import got from 'got';
import { request } from 'undici';

/** Reads the balance with each client, given that client's options. */
export const balanceBy = {
  fetch: async (target) => {
    const response = await fetch(target);
    if (!response.ok) throw new Error(`GET /momo/balance failed with status ${response.status}`);
    return response.json();
  },
  axios: async (target, options) => (await axios.get(target, options)).data,
  undici: async (target, options) => {
    const { statusCode, body } = await request(target, options);
    if (statusCode !== 200) throw new Error(`GET /momo/balance failed with status ${statusCode}`);
    return body.json();
  },
  got: (target, options) => got(target, { ...options, retry: { limit: 0 } }).json(),
};
