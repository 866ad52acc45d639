import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Mock } from '../../src/mock/mock.ts';
import { Redactor } from '../../src/mock/redaction/redaction.ts';
import { DEFAULT_KEY_RULE } from '../../src/mock/requests/key-rule.ts';
import { runs } from '../endurance/scale.ts';
import { EMPTY_TREE } from '../support/empty-tree.ts';

const name = fc.constantFrom('a', 'a/1', 'a/2', 'b', '__proto__', 'constructor');
const scope = fc.constantFrom('service' as const, 'account' as const);
const write = fc.record({ scope, name, value: fc.option(fc.jsonValue(), { nil: undefined }) });
const step = fc.array(write, { maxLength: 4 });
const start = fc.dictionary(name, fc.jsonValue());

/** A mock with one account, whose tree has only a `state.json`. */
function mockWith(state: Readonly<Record<string, unknown>>): Mock {
  const tree = { ...EMPTY_TREE, state };
  return new Mock({
    configured: [{ key: 'one-key' }],
    tree,
    journalSize: 0,
    journalBytes: 0,
    keyRule: DEFAULT_KEY_RULE,
    redactor: new Redactor(),
    sendWebhook: async () => ({ reason: 'host-not-allowed' }),
    onFailedAttempt: () => {},
    onTimerError: () => ({ place: undefined, cause: '' }),
    maxTimerMs: 1000,
  });
}

it('the state behaves like a simple model: three maps, of which the first that has a name decides', async () => {
  await fc.assert(
    fc.asyncProperty(start, fc.array(step, { maxLength: 12 }), async (given, steps) => {
      const mock = mockWith(given);
      const { state: service } = mock.all;
      const { state: account } = mock.account('one-key');
      const maps = { service: new Map<string, unknown>(), account: new Map<string, unknown>() };
      const below = new Map(Object.entries(given));
      const seen = (...layers: Map<string, unknown>[]) => {
        const all = [below, ...layers].flatMap((layer) => [...layer]);
        return new Map([...new Map(all)].filter(([, value]) => value !== undefined));
      };
      for (const writes of steps) {
        for (const which of ['service', 'account'] as const) {
          const own = writes.filter((it) => it.scope === which);
          await (which === 'service' ? service : account).transaction((draft) => {
            for (const { name, value } of own) {
              if (value === undefined) draft.delete(name);
              else draft.set(name, value);
            }
          });
          for (const { name, value } of own) {
            // A name that the layers below do not have leaves nothing to hide.
            const isBelow = which === 'service' ? below.has(name) : seen(maps.service).has(name);
            if (value === undefined && !isBelow) maps[which].delete(name);
            else maps[which].set(name, value);
          }
        }
        const expected = seen(maps.service, maps.account);
        const all = [...expected].sort(([a], [b]) => (a < b ? -1 : 1));
        const list = Object.fromEntries(all);
        const under = Object.fromEntries(all.filter(([name]) => name.startsWith('a/')));
        const read = [await account.list(), await account.list('a/'), await account.get('a')];
        expect(JSON.stringify(read)).toBe(JSON.stringify([list, under, expected.get('a')]));
      }
    }),
    runs(20_000, 100),
  );
});
