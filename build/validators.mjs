// @fastify/env uses env-schema, which checks the settings with ajv. Loading ajv and compiling the
// schemas would take a good part of each start, so the build compiles them to code.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const Ajv = require('ajv');
const { default: standaloneCode } = require('ajv/dist/standalone');

/**
 * Compiles all schemas that env-schema compiles at a start.
 *
 * @param readSettings reads settings with @fastify/env, which must not be loaded before
 * @returns an esbuild plugin that replaces ajv in env-schema with the compiled validators
 */
export async function compileValidators(readSettings) {
  const contents = `const VALIDATORS = {${await recordValidators(readSettings)}};${AJV}`;
  const namespace = 'validators';
  return {
    name: 'validators',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^ajv$/ }, ({ importer }) =>
        /[\\/]env-schema[\\/]/.test(importer) ? { path: 'ajv', namespace } : undefined,
      );
      onLoad({ filter: /./, namespace }, () => ({ contents, resolveDir: import.meta.dirname }));
    },
  };
}

/** The part of ajv that env-schema uses. */
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

/** The code for each schema, by its JSON: a function from formats to the validator. */
async function recordValidators(readSettings) {
  const entries = [];
  class Recorder extends Ajv {
    constructor(options) {
      super({ ...options, code: { source: true, formats: Ajv._`formats` } });
    }
    compile(schema, isMeta) {
      const validate = super.compile(schema, isMeta);
      if (isMeta) return validate;
      const code = `const module = { exports: {} }; ${standaloneCode(this, validate)}`;
      const key = JSON.stringify(JSON.stringify(schema));
      entries.push(`${key}(formats) { ${code}; return module.exports; }`);
      return validate;
    }
  }
  require.cache[require.resolve('ajv')].exports = Recorder;
  await readSettings();
  if (entries.length < 2)
    throw new Error('Failed to build: @fastify/env compiled too few schemas.');
  return entries.join(',');
}
