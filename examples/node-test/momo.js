import got from 'got';

export class Momo {
  constructor({ url, apiKey, agent }) {
    this.http = got.extend({
      prefixUrl: url,
      searchParams: { apikey: apiKey },
      agent: { https: agent },
      retry: { limit: 0 },
    });
  }

  async balance() {
    return (await this.http.get('momo/balance').json()).balance;
  }
}
