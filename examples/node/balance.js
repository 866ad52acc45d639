import axios from 'axios';
import got from 'got';
import { request } from 'undici';

/** The balance, by each of the usual clients; none of them knows of momo-mock. */
export const balanceBy = {
  fetch: async (target) => {
    const response = await fetch(target);
    if (!response.ok) throw new Error(`The balance was answered with ${response.status}`);
    return response.json();
  },
  axios: async (target) => (await axios.get(target)).data,
  undici: async (target) => {
    const { statusCode, body } = await request(target);
    if (statusCode !== 200) throw new Error(`The balance was answered with ${statusCode}`);
    return body.json();
  },
  got: (target) => got(target, { retry: { limit: 0 } }).json(),
};
