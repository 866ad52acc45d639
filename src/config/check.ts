import { type FastifyEnvOptions, fastifyEnv } from '@fastify/env';
import type { FastifyInstance } from 'fastify';
import { FORMATS } from './kinds.ts';
import { SETTINGS, type SettingName } from './settings.ts';

/** The value of every setting; `undefined` for one that was not given and has no default. */
export type Values = {
  readonly [Name in SettingName]:
    | ReturnType<(typeof SETTINGS)[Name]['read']>
    | ((typeof SETTINGS)[Name]['schema'] extends { readonly default: unknown } ? never : undefined);
};

/**
 * Checks and coerces all that was given by the schema, at once.
 *
 * @returns the values, or the names of the settings whose value is not allowed
 */
export function check(given: object): { values: Values; wrong: SettingName[] } {
  const names = Object.keys(SETTINGS) as SettingName[];
  // Made anew for each call: @fastify/env writes into the schema that it is given.
  const properties = Object.fromEntries(names.map((name) => [name, { ...SETTINGS[name].schema }]));
  const schema = { type: 'object', properties };
  try {
    const checked = readEnvironment({
      schema,
      data: { ...given },
      env: false,
      ajv: { customOptions: (ajv) => addFormats(ajv) },
    });
    const values = names.map((name) => {
      const value = checked[name];
      return [name, value === undefined ? undefined : SETTINGS[name].read(value)];
    });
    return { values: Object.fromEntries(values), wrong: [] };
  } catch (error) {
    const { errors } = error as { errors?: { instancePath: string }[] };
    if (errors === undefined) throw error;
    const wrong = new Set(errors.map(({ instancePath }) => instancePath.slice(1) as SettingName));
    return { values: {} as Values, wrong: [...wrong] };
  }
}

/**
 * What @fastify/env makes of its options. It wants an instance of Fastify only to decorate it with
 * that, and to load Fastify takes longer than all else that a start does.
 */
function readEnvironment(options: FastifyEnvOptions): Record<string, never> {
  let checked: Record<string, never> = {};
  const instance = {
    decorate: (_name: string, config: typeof checked) => {
      checked = config;
    },
    hasDecorator: () => true,
    hasRequestDecorator: () => true,
  };
  fastifyEnv(instance as unknown as FastifyInstance, options, (error) => {
    if (error) throw error;
  });
  return checked;
}

function addFormats<
  Ajv extends { addFormat(name: string, check: (text: string) => boolean): unknown },
>(ajv: Ajv): Ajv {
  for (const [name, isValid] of Object.entries(FORMATS)) ajv.addFormat(name, isValid);
  return ajv;
}
