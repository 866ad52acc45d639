import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MomoMockError } from '../errors.ts';
import { advice } from '../mock/closest-name.ts';
import { presetsFolder, shippedFixtures } from './folders.ts';

/** The folders of `presets/`. */
export const PRESETS = ['chipdeals', 'mpesa-daraja', 'mtn-momo'] as const;

/** From `preset.json`. */
export interface Preset {
  readonly fixtures: string;
  readonly hosts: readonly string[];
  /** Where its requests carry the key. @default as the setting `KEY_IN` */
  readonly keyIn?: string;
  /** Names of members of bodies that only look like a secret's. @default as the setting `NOT_SECRET` */
  readonly notSecret?: readonly string[];
  /** Whether the shipped fixtures are below its own. @default as the setting `BASE` */
  readonly base?: 'shipped' | 'none';
  /** A request that needs only the key, such as `GET /balance`, to show as an example. */
  readonly example?: string;
}

export function presetOf(name: string): Preset {
  if (!isPreset(name)) {
    const fix = advice(name, PRESETS, `Use one of: ${PRESETS.join(', ')}.`);
    const text = `Failed to find the preset ${JSON.stringify(name)}: there is no preset with this name. ${fix}`;
    throw new MomoMockError('MOMO_MOCK_SETTINGS_INVALID', text);
  }
  const folder = join(presetsFolder, name);
  const facts = JSON.parse(readFileSync(join(folder, 'preset.json'), 'utf8'));
  return { ...facts, fixtures: join(folder, 'fixtures') };
}

/** The settings of a preset, which a user's own override; none if there is no such preset. */
export function presetSettings(name: unknown) {
  if (!isPreset(name)) return {};
  const { keyIn, notSecret, base } = presetOf(name);
  return {
    ...(keyIn && { KEY_IN: keyIn }),
    ...(notSecret && { NOT_SECRET: notSecret }),
    ...(base && { BASE: base }),
  };
}

/** The lowest first. */
export function fixtureLayers(
  { PRESET, BASE }: { PRESET?: string | undefined; BASE: 'shipped' | 'none' },
  userDir?: string,
): string[] {
  const base = BASE === 'none' ? undefined : shippedFixtures;
  const preset = PRESET === undefined ? undefined : presetOf(PRESET).fixtures;
  return [base, preset, userDir].filter((dir) => dir !== undefined);
}

function isPreset(name: unknown): name is string {
  return (PRESETS as readonly unknown[]).includes(name);
}
