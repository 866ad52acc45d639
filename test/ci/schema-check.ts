import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

/** Makes the check by a schema in the folder beside; it gives what is wrong, nothing if all is well. */
export function schemaCheck(name: string): (value: unknown) => string[] {
  const file = new URL(`schemas/${name}.json`, import.meta.url);
  // Both schemas use what strict mode has its doubts about.
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')));
  return (value) => {
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}
