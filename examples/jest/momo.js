import axios from 'axios';

export class Momo {
  constructor({ url, apiKey, agent }) {
    this.http = axios.create({ baseURL: url, params: { apikey: apiKey }, httpsAgent: agent });
  }

  async balance() {
    return (await this.http.get('/momo/balance')).data.balance;
  }
}
