// @fastify/env checks the settings with ajv, by way of env-schema. To load ajv and to compile the
// schemas would be a good part of each start, so ajv compiles them here and writes them as code.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const Ajv = require('ajv');
const { default: standaloneCode } = require('ajv/dist/standalone');

/**
 * A plugin of esbuild: instead of ajv, env-schema gets the validators of all schemas that it
 * compiles while the settings are read.
 *
 * @param readSettings reads settings with @fastify/env, which was not loaded before
 */
export const validators = (readSettings) => ({
  name: 'validators',
  setup({ onResolve, onLoad }) {
    const namespace = 'validators';
    onResolve({ filter: /^ajv$/ }, ({ importer }) =>
      /[\\/]env-schema[\\/]/.test(importer) ? { path: 'ajv', namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, async () => {
      const entries = await compile(readSettings);
      return {
        contents: `const VALIDATORS = {${entries}};${AJV}`,
        resolveDir: import.meta.dirname,
      };
    });
  },
});

/** What env-schema uses of ajv. */
const AJV = `
module.exports = class Ajv {
  formats = {};
  addFormat(name, format) {
    this.formats[name] = format;
  }
  compile(schema) {
    return VALIDATORS[JSON.stringify(schema)](this.formats);
  }
  validate(schema, data) {
    const validate = this.compile(schema);
    const isValid = validate(data);
    this.errors = validate.errors;
    return isValid;
  }
  errorsText(errors, { dataVar }) {
    return errors.map(({ instancePath, message }) => dataVar + instancePath + ' ' + message).join(', ');
  }
};`;

/** Code for each schema, under its JSON: a function that takes formats and gives the validator. */
async function compile(readSettings) {
  const entries = [];
  class Recorder extends Ajv {
    constructor(options) {
      super({ ...options, code: { source: true, formats: Ajv._`formats` } });
    }
    compile(schema, isMeta) {
      const validate = super.compile(schema, isMeta);
      if (isMeta) return validate;
      const code = `const module = { exports: {} }; ${standaloneCode(this, validate)}`;
      entries.push(
        `${JSON.stringify(JSON.stringify(schema))}(formats) { ${code}; return module.exports; }`,
      );
      return validate;
    }
  }
  require.cache[require.resolve('ajv')].exports = Recorder;
  await readSettings();
  if (entries.length < 2) throw new Error('Failed to build: @fastify/env has compiled no schema.');
  return entries.join(',');
}
