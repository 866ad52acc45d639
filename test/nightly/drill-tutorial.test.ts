import { expect, it, vi } from 'vitest';
import { drillIn, exampleIn, failuresIn, fixShop, openTutorial, PAGE } from '../docs/drill.ts';

// Two whole drills, each of which takes two minutes.
vi.setConfig({ testTimeout: 900_000 });

it('the drill of docs/drill.md shows all failures, and the fixed shop survives them', () => {
  const project = openTutorial();
  const { command, output } = exampleIn(PAGE, 'console drill');
  const shown = failuresIn(output);
  expect(failuresIn(drillIn(project, command))).toEqual(shown);

  fixShop(project);
  const fixed = Object.values(failuresIn(drillIn(project, command)));
  expect(fixed).toHaveLength(Object.keys(shown).length);
  expect(fixed.filter((line) => !/^[✓–]/.test(line))).toEqual([]);
});
