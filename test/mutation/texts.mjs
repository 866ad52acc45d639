// A plugin for Stryker: leaves out texts that are for people only, such as a schema's description.
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Properties whose value is a text that nothing depends on. */
const TEXTS = ['about', 'description', 'examples', 'summary', 'usage'];

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'texts', {
    shouldIgnore({ node }) {
      const isText = node.type === 'ObjectProperty' && TEXTS.includes(node.key.name);
      return isText ? 'a text for people' : undefined;
    },
  }),
];
