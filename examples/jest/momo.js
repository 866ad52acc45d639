import axios from 'axios';

export class Momo {
  constructor({ url, apikey, agent }) {
    this.http = axios.create({ baseURL: url, params: { apikey }, httpsAgent: agent });
  }

  async balance() {
    return (await this.http.get('/momo/balance')).data.balance;
  }
}
