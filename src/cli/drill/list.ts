import { playsOf } from '../../drill/applicable.ts';
import type { Failure } from '../../drill/failure.ts';
import { FAILURES } from '../../drill/failures.ts';
import { loadFixtureTree } from '../../fixtures/load.ts';
import { drillIn } from '../../mock/ledger/momo-drill.ts';
import type { FixtureTree } from '../../mock/operations/operation.ts';
import type { SettingTexts } from '../../settings/load.ts';
import { fixtureLayers, PRESETS, presetOf } from '../../shipped/presets.ts';
import { configure } from '../configure.ts';

/**
 * Lists all failures, a line each: with the reason if one does not apply to the chosen preset or
 * tree, or with a column for each preset if none is chosen.
 */
export async function listedFailures(flags: SettingTexts): Promise<string> {
  const { config } = await configure(flags, { withKeys: false });
  const { PRESET, FIXTURES_DIR, STRICT_PATHS: strictPaths } = config;
  const treeOf = (layers: readonly string[]) =>
    loadFixtureTree({ layers, strictPaths, needsCode: false });
  const tree = await treeOf(fixtureLayers(config, FIXTURES_DIR));
  if (PRESET !== undefined || tree.drill !== undefined) {
    const reasonOf = await reasonsIn(tree);
    return table(
      FAILURES.map((failure) => {
        const reason = reasonOf(failure);
        return [failure.name, reason === undefined ? failure.about : `not applicable: ${reason}`];
      }),
    );
  }
  const reasons = await Promise.all(
    PRESETS.map(async (name) => {
      const { base = 'shipped' } = presetOf(name);
      return await reasonsIn(await treeOf(fixtureLayers({ PRESET: name, BASE: base })));
    }),
  );
  const rows = FAILURES.map((failure) => {
    const columns = reasons.map((reasonOf) => (reasonOf(failure) === undefined ? 'yes' : 'no'));
    return [failure.name, ...columns, failure.about];
  });
  return table([['FAILURE', ...PRESETS, ''], ...rows]);
}

/** Why a failure does not apply to a tree, whatever the application tells and takes. */
async function reasonsIn(
  tree: Pick<FixtureTree, 'drill'>,
): Promise<(failure: Failure) => string | undefined> {
  const provider = await drillIn(tree, 'list the failures');
  const flow = provider.flows.payment;
  return (failure) => {
    if (flow === undefined) return 'drill.js has no payments.';
    const plays = playsOf(failure, { provider, flow, webhookExists: true, tellsFulfilled: true });
    return typeof plays === 'string' ? plays : undefined;
  };
}

function table(rows: readonly (readonly string[])[]): string {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widthOf(at))).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
