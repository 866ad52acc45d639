import { Ajv } from 'ajv';
import { FORMATS } from './schema.ts';

let optionAjv: Ajv | undefined;

export function withFormats(ajv: Ajv): Ajv {
  for (const [name, isValid] of Object.entries(FORMATS)) ajv.addFormat(name, isValid);
  return ajv;
}

/**
 * Finds the names of invalid values. Unlike @fastify/env, converts nothing.
 *
 * @param schema of an object. Pass the same one each time, so that it is compiled only once
 */
export function wrongNames(schema: object, values: object): Set<string> {
  optionAjv ??= withFormats(new Ajv({ allErrors: true, allowUnionTypes: true }));
  const validate = optionAjv.compile(schema);
  validate(values);
  const paths = (validate.errors ?? []).map(({ instancePath }) => instancePath.split('/'));
  return new Set(paths.map(([, name = '']) => name));
}
