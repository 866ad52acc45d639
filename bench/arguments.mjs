import { parseArgs } from 'node:util';

/**
 * Reads the command's arguments.
 *
 * @param names all parts that there are
 * @throws Error for a part or an option that there is not
 */
export function readArguments(args, names) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      'no-peers': { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(`there is no ${unknown.join(', ')}. There are ${names.join(', ')}.`);
  }
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds >= 1 && rounds <= 100)) {
    throw new Error(`--rounds ${values.rounds} is none. Give a number from 1 to 100.`);
  }
  return {
    rounds,
    quick: values.quick,
    withPeers: !values['no-peers'],
    parts: positionals.length === 0 ? names : names.filter((name) => positionals.includes(name)),
  };
}
