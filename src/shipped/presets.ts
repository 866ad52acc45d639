import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MomoMockError } from '../errors.ts';
import { presetsFolder, shippedFixtures } from './folders.ts';

/** The folders of `presets/`. */
export const PRESETS = ['chipdeals', 'mpesa-daraja'] as const;

/** @throws MomoMockError `MOMO_MOCK_SETTINGS_INVALID` if there is no such preset */
export function presetOf(name: string): { fixtures: string; hosts: readonly string[] } {
  const known: readonly string[] = PRESETS;
  if (!known.includes(name)) {
    const text = `Failed to find the preset ${JSON.stringify(name)}: there is no preset with this name. Use one of: ${known.join(', ')}.`;
    throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', text);
  }
  const folder = join(presetsFolder, name);
  const { hosts } = JSON.parse(readFileSync(join(folder, 'preset.json'), 'utf8'));
  return { fixtures: join(folder, 'fixtures'), hosts };
}

/** The lowest first. */
export function fixtureLayers(preset: string | undefined, userDir: string | undefined): string[] {
  const presetDir = preset === undefined ? undefined : presetOf(preset).fixtures;
  return [shippedFixtures, presetDir, userDir].filter((dir) => dir !== undefined);
}
