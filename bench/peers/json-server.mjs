import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const jsonServer = {
  name: 'json-server',
  version: '0.17.4',
  how: 'plain HTTP and no check of the key: it has neither',
  command: ({ port, folder, cwd, body }) => {
    const [data, routes] = [join(cwd, 'db.json'), join(cwd, 'routes.json')];
    writeFileSync(data, JSON.stringify({ balance: JSON.parse(body) }));
    writeFileSync(routes, JSON.stringify({ '/momo/*': '/$1' }));
    const bin = join(folder, 'node_modules/json-server/lib/cli/bin.js');
    const where = ['--port', port, '--host', '127.0.0.1', '--routes', routes];
    return { command: process.execPath, args: [bin, data, ...where] };
  },
};
