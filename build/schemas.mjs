// Writes the JSON Schemas of the files that a user edits, from the definitions that check them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Each file, with what it describes. */
const TITLES = {
  response: 'A response of momo-mock: NAME.get.response.json, NAME.get.VARIANT.response.json',
  responses: 'Scripted responses of momo-mock, for /responses of the control API',
  drill: 'The configuration of momo-mock drill: momo-mock.drill.json',
  'state-file': 'The values with which the state of handlers of momo-mock starts: state.json',
};

/**
 * @param dist what tsc has built; the schemas go into its folder `schemas`
 * @returns their files
 */
export async function writeSchemas(dist) {
  const load = (file) => import(pathToFileURL(join(dist, file)));
  const { RESPONSE_FILE, RESPONSES } = await load('mock/responses/scripted-response.js');
  const { STATE_FILE } = await load('mock/state/state-change.js');
  const { DRILL_CONFIG: drill } = await load('cli/drill/config.js');
  const responses = { response: RESPONSE_FILE, responses: RESPONSES };
  const schemas = { ...responses, drill, 'state-file': STATE_FILE };
  mkdirSync(join(dist, 'schemas'));
  return Object.entries(schemas).map(([name, schema]) => {
    const head = { $schema: 'http://json-schema.org/draft-07/schema#', title: TITLES[name] };
    // Names of components, which are relative URLs to an editor.
    const text = JSON.stringify({ ...head, ...schema, ...head }, withoutIds, 2);
    const file = join(dist, 'schemas', `${name}.schema.json`);
    writeFileSync(file, `${text}\n`);
    return file;
  });
}

const withoutIds = (name, value) => (name === '$id' ? undefined : value);
