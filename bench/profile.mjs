// What a CPU profile says: how long was spent on what.
import { readFileSync } from 'node:fs';

/** What Node's own modules are there for, the first that fits. */
const OF_NODE = [
  [
    /^node:internal\/(bootstrap|process\/pre_execution)|^node:internal\/main/,
    'Node: its own start',
  ],
  [
    /^node:(internal\/modules|vm|internal\/vm|module|internal\/source_map)/,
    'Node: loading programs',
  ],
  [/^node:(internal\/crypto|crypto|internal\/tls|_tls_common)/, 'Node: keys and certificates'],
  [/^node:(_http|http|internal\/http)/, 'Node: HTTP'],
  [/^node:(internal\/net|dns|internal\/dns)/, 'Node: addresses'],
  [/^node:(fs|internal\/fs)/, 'Node: files'],
  [/^node:(_tls|tls|net|internal\/stream|stream|_stream)/, 'Node: sockets'],
];

/** Which module of a bundle that can be read is on which line: each begins with a line that names it. */
function modulesOf(file) {
  const modules = [];
  let module = file;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    module = /^\/\/ ((?:src|node_modules)\/\S+)$/.exec(line)?.[1] ?? module;
    modules.push(module);
  }
  return modules;
}

/** What a module is a part of, in a word or two. */
function partOf(module) {
  const [, library] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module) ?? [];
  if (library !== undefined) return library;
  const [, part] = /(?:^|\/)src\/([^/.]+)/.exec(module) ?? [];
  return part === undefined ? 'the program itself' : `momo-mock: ${part}`;
}

/** What a sample's function is there for. */
function purposeOf({ functionName, url, lineNumber }, modules) {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'outside of JavaScript';
  if (/^write/.test(functionName) && url === '') return 'writing: TLS and the system';
  if (url === '') return 'Node: what it does natively';
  const [, purpose] = OF_NODE.find(([pattern]) => pattern.test(url)) ?? [];
  if (purpose !== undefined) return purpose;
  if (url.startsWith('node:')) return 'Node: the rest';
  const file = url.replace(/^file:\/\//, '');
  modules[file] ??= modulesOf(file);
  return partOf(modules[file][lineNumber] ?? file);
}

/**
 * How long was spent on what, in ms.
 *
 * @param file a profile that `--cpu-prof` wrote
 * @param since what came before is left out, in ms after the process's start
 */
export function timeByPurpose(file, since = 0) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const modules = {};
  const spent = {};
  let clock = 0;
  samples.forEach((id, at) => {
    const took = timeDeltas[at] / 1000;
    clock += took;
    const frame = frames.get(id);
    if (clock < since || frame.functionName === '(idle)') return;
    const purpose = purposeOf(frame, modules);
    spent[purpose] = (spent[purpose] ?? 0) + took;
  });
  return spent;
}
