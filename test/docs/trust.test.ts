import { describe, expect, it } from 'vitest';
import { type Command, needs } from '../machine.ts';
import { readDocument, rowsBelow } from './documents.ts';
import { at } from './examples.ts';
import { openShell } from './shell.ts';

describe('docs/trust.md', () => {
  const rows = rowsBelow(readDocument('docs/trust.md'), 'By a file');
  const how = (client: string): string => {
    const [, code = ''] = rows.find(([name]) => name === client) ?? [];
    return code.replaceAll('`', '');
  };
  const url = 'https://localhost:8443/momo/balance?apikey=momo_test_key';

  it('shows a way for each client that is tried here', () => {
    expect(rows.map(([client]) => client)).toEqual([
      'curl',
      'Node',
      'Python, Go, Ruby, OpenSSL',
      'Python with requests',
    ]);
  });

  it.for<[command: Command | 'node', line: string]>([
    ['curl', `curl -sSf ${how('curl')} '${url}'`],
    ['node', `${how('Node')} node -e "fetch('${url}').then((r) => r.text()).then(console.log)"`],
    [
      'python3',
      `${how('Python, Go, Ruby, OpenSSL')} python3 -c "from urllib.request import urlopen; print(urlopen('${url}').read().decode())"`,
    ],
    [
      'ruby',
      `${how('Python, Go, Ruby, OpenSSL')} ruby -rnet/http -e "puts Net::HTTP.get(URI('${url}'))"`,
    ],
  ])('%s gets the balance by it', async ([command, line], context) => {
    if (command !== 'node') needs(context, command);
    const shell = openShell();
    const ready = await shell.start('momo-mock');
    expect(shell.run(at(ready, line))).toContain('"amount": 2000');
  });
});
