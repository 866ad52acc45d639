import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ROOT } from '../docs/documents.ts';
import { temporaryFolder } from '../support/fixture-folder.ts';
import { installedPackage, type Project, putBeside } from './installed.ts';
import { installFromNpm, NO_REGISTRY } from './kept-packages.ts';

// It packs and installs the package, which takes long on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const CONSUMER = `
import { connectMomoMock, MomoMockError, type MomoMock, type MomoStartOptions, startMomoMock } from 'momo-mock';
import 'momo-mock/jest';
import { test, testWith } from 'momo-mock/vitest';
import { expect as jestExpect } from 'expect';
async function start(): Promise<MomoMock> {
  await using mock: MomoMock = await startMomoMock({ control: true });
  await mock.respondWith({ status: 503, times: 'always' });
  return await connectMomoMock(mock.controlUrl ?? '');
}
export const codes = (error: MomoMockError): 'MOMO_MOCK_USAGE' | string => error.code;
testWith(() => connectMomoMock('http://localhost:8480'))('more types', ({ momo }) => momo.reset());
testWith({ strict: true });
const options: MomoStartOptions = { keyIn: 'header:X-User', preset: 'chipdeals', rateLimit: '5/1m' };
testWith({ ...options, rateLimit: { limit: 5, window: 1000 }, redirect: ['a.example'] });
// @ts-expect-error a name is in the query or in a header
export const wrong: MomoStartOptions = { keyIn: 'X-User' };
test('types', async ({ momo, momoMock, expect }) => {
  await expect(momo).toHaveReceived([{ path: '/momo/balance', times: 2 }], { timeout: 9 });
  // @ts-expect-error a status is a number
  await expect(momo).toHaveReceived({ status: '200' });
  await jestExpect(momo).toHaveReceived({ exactly: [] });
  const key: string = momo.apiKey + momoMock.apiKey;
  const paid: { amount: number } | undefined = await momo.state.get<{ amount: number }>('paid');
  const all: Record<string, number> = await momoMock.account().state.list<number>();
  await momo.state.update<number>(key, (count) => count + 1 + (paid?.amount ?? 0) + (all.a ?? 0));
  const [scripted] = await momo.responses();
  if (scripted !== undefined) await momo.respondWith(scripted);
  // @ts-expect-error an operation has a method
  await momo.respondWith({ operation: '/momo/balance' });
  // @ts-expect-error a method is in upper case
  await momo.requests({ operation: 'get /momo/balance' });
  // @ts-expect-error a status is a number
  await momo.respondWith({ status: key });
  await (await start()).close();
});
`;

const OTHERS = {
  'typescript-5.2': 'npm:typescript@~5.2.2',
  'typescript-5.6': 'npm:typescript@~5.6.3',
  'types-node-26': 'npm:@types/node@26',
};

const parent = temporaryFolder(afterAll);
const others = join(parent, 'others');
const place = (name: string) => join(name in OTHERS ? others : ROOT, 'node_modules', name);
let project: Project;
let hasOthers: boolean;
beforeAll(async () => {
  project = await installedPackage(parent);
  for (const name of ['vitest', 'expect']) putBeside(project, name);
  mkdirSync(others);
  hasOthers = await installFromNpm(others, OTHERS);
});

interface Row {
  readonly typescript?: string;
  readonly types?: string;
  readonly module?: string;
  readonly moduleResolution?: string;
  readonly consumer?: string;
}

it.for<Row>([
  { module: 'nodenext', moduleResolution: 'nodenext', consumer: 'consumer.ts' },
  { module: 'nodenext', moduleResolution: 'nodenext', consumer: 'consumer.cts' },
  { module: 'esnext', moduleResolution: 'bundler', consumer: 'consumer.ts' },
  // The least that docs/recipes/node.md names.
  { typescript: 'typescript-5.2' },
  { typescript: 'typescript-5.6', types: 'types-node-26' },
  { types: 'types-node-26' },
])('the types of the package are right, without skipLibCheck: %o', async (given, context) => {
  const { typescript = 'typescript', types = '@types/node', consumer = 'consumer.ts' } = given;
  context.skip(!hasOthers && (typescript in OTHERS || types in OTHERS), NO_REGISTRY);
  const { module = 'nodenext', moduleResolution = 'nodenext' } = given;
  const compilerOptions = {
    module,
    moduleResolution,
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
    strict: true,
    noEmit: true,
    // More would each read all types anew.
    ...(typescript === 'typescript' && { checkers: 1 }),
  };
  project.write(consumer, CONSUMER);
  project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: [consumer] }));
  const node = join(project.folder, 'node_modules/@types/node');
  mkdirSync(dirname(node), { recursive: true });
  rmSync(node, { force: true });
  symlinkSync(place(types), node);
  const checked = project.node(join(place(typescript), 'bin/tsc'), '-p', '.').catch(Object);
  expect((await checked).stdout).toBe('');
});
