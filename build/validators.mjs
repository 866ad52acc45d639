// The settings are checked with ajv when the command or the library starts. Loading ajv takes longer
// than the rest of a start, so the build compiles their schemas to code.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv, _ as code } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { envSchema } from 'env-schema';

const SRC = join(import.meta.dirname, '../src');
const CODE = {
  source: true,
  formats: code`require(${join(SRC, 'settings/schema.ts')}).FORMATS`,
};

/**
 * @param dist what tsc has built
 * @returns an esbuild plugin that replaces src/library/option-validators.ts, and ajv in env-schema,
 *   the library behind @fastify/env
 */
export async function compiledValidators(dist) {
  const load = (file) => import(pathToFileURL(join(dist, file)));
  const { objectSchema, FORMATS } = await load('settings/schema.js');
  const { SETTINGS } = await load('settings/settings.js');
  const { OPTIONS, CONTROL_OPTIONS } = await load('library/option-table.js');
  const modules = {
    options: optionValidators(
      { validateOptions: objectSchema(OPTIONS), validateControl: objectSchema(CONTROL_OPTIONS) },
      FORMATS,
    ),
    settings: settingsValidator(objectSchema(SETTINGS), FORMATS),
    ajv: AJV,
  };
  const namespace = 'validators';
  return {
    name: namespace,
    setup({ onResolve, onLoad, onEnd }) {
      onResolve({ filter: /^settings$/, namespace }, ({ path }) => ({ path, namespace }));
      onResolve({ filter: /[\\/]option-validators\.ts$/ }, () => ({ path: 'options', namespace }));
      onResolve({ filter: /^ajv$/ }, ({ importer }) =>
        /[\\/]env-schema[\\/]/.test(importer) ? { path: 'ajv', namespace } : undefined,
      );
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

/** A module with the validators of src/library/option-validators.ts. */
function optionValidators(schemas, formats) {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, schemas, formats, code: CODE });
  return standalone.default(ajv, Object.fromEntries(Object.keys(schemas).map((id) => [id, id])));
}

/** A module with the validator that env-schema compiles. */
function settingsValidator(schema, formats) {
  let ajv;
  const customOptions = ({ opts }) => {
    ajv = new Ajv({ ...opts, formats, code: CODE });
    return ajv;
  };
  envSchema({ schema, data: {}, env: false, ajv: { customOptions } });
  return standalone.default(ajv, ajv.compile(schema));
}

/** What env-schema uses of ajv. `compile` is for its own options, whose types TypeScript has checked. */
const AJV = `
const check = require('settings');
module.exports = class {
  addFormat() {}
  compile() {
    return () => true;
  }
  validate(_schema, data) {
    const isValid = check(data);
    this.errors = check.errors;
    return isValid;
  }
  errorsText(errors, { dataVar }) {
    return errors.map(({ instancePath, message }) => dataVar + instancePath + ' ' + message).join(', ');
  }
};`;
