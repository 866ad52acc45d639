// The settings are checked by @fastify/env, which compiles its schemas by ajv each time it is
// called: that would be most of what a start takes. The bundle has them compiled.
import { createRequire } from 'node:module';
import { build } from 'esbuild';

const require = createRequire(import.meta.url);
const { Ajv, _ } = require('ajv');
const { default: standaloneCode } = require('ajv/dist/standalone');

/** Stands for ajv in the bundle, for @fastify/env alone: it knows what the build has compiled. */
const AJV = `
const validators = require('precompiled:validators');
module.exports = class Ajv {
  addFormat() {}
  compile(schema) {
    const validate = validators[JSON.stringify(schema)];
    if (validate === undefined) throw new Error('Failed to check the settings: a schema that the build did not compile.');
    return validate;
  }
  validate(schema, data) {
    const validate = this.compile(schema);
    const isValid = validate(data);
    this.errors = validate.errors;
    return isValid;
  }
  errorsText() { return 'not allowed'; }
};`;
const FORMATS = `module.exports = require('./src/config/schema.ts').FORMATS;`;

/** A plugin of esbuild that puts compiled validators in the place of ajv for @fastify/env. */
export const precompiledValidators = {
  name: 'precompiled-validators',
  setup({ onResolve, onLoad }) {
    const namespace = 'precompiled';
    onResolve({ filter: /^ajv$/ }, ({ importer }) =>
      /[\\/]env-schema[\\/]/.test(importer) ? { path: 'ajv', namespace } : undefined,
    );
    onResolve({ filter: /^precompiled:/ }, ({ path }) => ({
      path: path.slice('precompiled:'.length),
      namespace,
    }));
    onLoad({ filter: /./, namespace }, async ({ path }) => {
      const modules = { ajv: () => AJV, formats: () => FORMATS, validators: validatorsCode };
      return { contents: await modules[path](), resolveDir: import.meta.dirname };
    });
  },
};

/** A module with a validator for each schema, under its JSON. */
async function validatorsCode() {
  const validators = (await schemasAsked()).map(({ options, formats, json }) => {
    const code = { source: true, formats: _`require("precompiled:formats")` };
    const ajv = new Ajv({ ...options, code });
    for (const [name, check] of formats) ajv.addFormat(name, check);
    const text = standaloneCode(ajv, ajv.compile(JSON.parse(json)));
    const wrapped = `(() => { const module = { exports: {} }; ${text}; return module.exports; })()`;
    return `exports[${JSON.stringify(json)}] = ${wrapped};\n`;
  });
  return validators.join('');
}

/** Checks settings once by the sources, and writes down every schema that ajv is asked for. */
async function schemasAsked() {
  const asked = new Map();
  const record = ({ opts, formats }, schema) => {
    const json = JSON.stringify(schema);
    asked.set(json, { options: opts, formats: Object.entries(formats), json });
  };
  class Recorder extends Ajv {
    compile(schema) {
      record(this, schema);
      return super.compile(schema);
    }
    validate(schema, data) {
      // Ajv itself asks for its own schemas by name, also while it is made.
      if (typeof schema === 'object' && this.formats !== undefined) record(this, schema);
      return super.validate(schema, data);
    }
  }
  const path = require.resolve('ajv');
  const cached = require.cache[path];
  const { exports } = cached;
  cached.exports = Recorder;
  try {
    const { outputFiles } = await build({
      entryPoints: ['src/config/load.ts'],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      packages: 'external',
      write: false,
    });
    const module = { exports: {} };
    new Function('module', 'exports', 'require', outputFiles[0].text)(
      module,
      module.exports,
      require,
    );
    await module.exports.loadConfig({ flags: {}, env: {}, dotenv: {} });
  } finally {
    cached.exports = exports;
  }
  if (asked.size < 2) throw new Error('Failed to build: @fastify/env has not asked ajv.');
  return [...asked.values()];
}
