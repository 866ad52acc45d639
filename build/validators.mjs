// @fastify/env uses env-schema, which checks the settings with ajv. Loading ajv and compiling the
// schemas would take a good part of each start, so the build compiles them to code. The options of
// the library are checked with such code, too. For schemas of users ajv is loaded, but it checks that they are schemas with code that the build compiled too.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const SRC = resolve(import.meta.dirname, '../src');
const require = createRequire(import.meta.url);
const Ajv = require('ajv');
const { default: standaloneCode } = require('ajv/dist/standalone');
const { default: addFormats } = require('ajv-formats');

/**
 * Compiles all schemas that env-schema and src/settings compile.
 *
 * @param readSettings reads settings and options; what they import must not be loaded before
 * @returns an esbuild plugin that replaces ajv in env-schema and src/settings with the compiled
 *   validators, and gives ajv in the rest of src the compiled validator of schemas
 */
export async function compileValidators(readSettings) {
  const modules = {
    settings: `const VALIDATORS = {${await recordValidators(readSettings)}};${AJV}`,
    schemas: `const check = (() => { ${schemaValidator()} })();${AJV_OF_USERS}`,
  };
  const namespace = 'validators';
  return {
    name: 'validators',
    setup({ onResolve, onLoad, onEnd }) {
      onResolve({ filter: /^ajv$/ }, ({ importer }) => {
        const isOfSettings = /[\\/](env-schema|src[\\/]settings)[\\/]/.test(importer);
        if (isOfSettings) return { path: 'settings', namespace };
        if (importer.startsWith(SRC)) return { path: 'schemas', namespace };
        return undefined;
      });
      onLoad({ filter: /./, namespace }, ({ path }) => ({
        contents: modules[path],
        resolveDir: import.meta.dirname,
      }));
      onEnd(({ metafile }) => {
        const unused = Object.keys(modules).filter(
          (path) => !metafile.inputs[`${namespace}:${path}`],
        );
        if (unused.length > 0) throw new Error(`Failed to build: nothing uses ${unused}.`);
      });
    },
  };
}

/** The part of ajv that env-schema and src/settings use. */
const AJV = `
module.exports = class Ajv {
  static Ajv = this;
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

const META_SCHEMA = 'http://json-schema.org/draft-07/schema';

/** Ajv, for draft-07, which compiles no validator of schemas. */
const AJV_OF_USERS = `
const { Ajv } = require('ajv');
exports.Ajv = class extends Ajv {
  getSchema(id) {
    return id.replace(/#$/, '') === '${META_SCHEMA}' ? check : super.getSchema(id);
  }
};`;

/**
 * The code of a function's body, which returns the validator of schemas of draft-07, with the options
 * of src/fixtures/schema.ts.
 */
function schemaValidator() {
  const ajv = new Ajv({ allErrors: true, strict: false, code: { source: true } });
  addFormats(ajv);
  return bodyOf(ajv, ajv.getSchema(META_SCHEMA));
}

/** The code of a function's body, which returns a validator. */
function bodyOf(ajv, validate) {
  return `const module = { exports: {} }; ${standaloneCode(ajv, validate)}; return module.exports;`;
}

/** The code for each schema, by its JSON: a function from formats to the validator. */
async function recordValidators(readSettings) {
  const entries = [];
  const { compile } = Ajv.prototype;
  // Not a subclass in the cache of modules: what imports ajv as an ES module would not get it.
  Ajv.prototype.compile = function (schema, isMeta) {
    Object.assign(this.opts.code, { source: true, formats: Ajv._`formats` });
    const validate = compile.call(this, schema, isMeta);
    if (isMeta) return validate;
    const key = JSON.stringify(JSON.stringify(schema));
    entries.push(`${key}(formats) { ${bodyOf(this, validate)} }`);
    return validate;
  };
  await readSettings();
  Ajv.prototype.compile = compile;
  if (entries.length < 4) throw new Error('Failed to build: too few schemas were compiled.');
  return entries.join(',');
}
