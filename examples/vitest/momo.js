import { Agent, fetch } from 'undici';

export class Momo {
  constructor({ url, apikey, connect }) {
    this.target = `${url}/momo/balance?apikey=${apiKey}`;
    this.dispatcher = new Agent({ connect });
  }

  async balance() {
    const response = await fetch(this.target, { dispatcher: this.dispatcher });
    if (!response.ok) throw new Error(`GET /momo/balance failed with status ${response.status}`);
    return (await response.json()).balance;
  }
}
