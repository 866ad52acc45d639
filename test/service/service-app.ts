import { createServer } from 'node:http';
import type { InjectOptions } from 'fastify';
import { loadFixtureTree } from '../../src/fixtures/load.ts';
import { SILENT } from '../../src/logger.ts';
import { Mock } from '../../src/mock/mock.ts';
import type { FixtureTree, Operation, Segment } from '../../src/mock/operation.ts';
import { createServiceApp } from '../../src/service/app.ts';
import type { CorsOrigin } from '../../src/service/cors.ts';
import { shippedFixtures } from '../../src/shipped.ts';
import { EMPTY_TREE } from '../mock/empty-tree.ts';

function fixture(text: string, status = 200) {
  return { status, headers: {}, body: Buffer.from(text), file: `${text}.json` };
}

/** An operation whose body is its name. Segments are separated by `/`; `[name]` is a parameter. */
function operationOf(method: string, path: string): Operation {
  const segments = path
    .slice(1)
    .split('/')
    .map((text): Segment => {
      const parameter = /^\[(\w+)\]$/.exec(text)?.[1];
      return parameter === undefined ? { literal: text } : { parameter };
    });
  const template = path.replace(/\[(\w+)\]/g, ':$1');
  const name = `${method} ${template}`;
  return { method, name, template, segments, default: fixture(name), variants: new Map() };
}

/** The tree of some operations, such as `GET /momo/balance`, with a body for each error. */
export function treeOf(...names: string[]): FixtureTree {
  const errors = [400, 401, 404, 405, 500].map((status) => [status, fixture(`e${status}`, status)]);
  return {
    ...EMPTY_TREE,
    operations: names.map((name) => {
      const [method = '', path = ''] = name.split(/ (.*)/s);
      return operationOf(method, path);
    }),
    errors: new Map(errors as [number, ReturnType<typeof fixture>][]),
  };
}

/** The tree that is shipped. */
export function shippedTree(): Promise<FixtureTree> {
  return loadFixtureTree({ shippedDir: shippedFixtures, strictPaths: false });
}

/** How the application differs from the default. */
export interface ServiceAppSettings {
  readonly strictPaths?: boolean;
  readonly corsOrigin?: CorsOrigin;
  /** @default ['good'] */
  readonly keys?: readonly string[];
}

/** The service application over a tree, without sockets. */
export async function serviceAppOf(
  tree: FixtureTree,
  { strictPaths = false, corsOrigin = '*', keys = ['good'] }: ServiceAppSettings = {},
) {
  const mock = new Mock({ keys: keys.map((key) => ({ key })), tree, journalSize: 100 });
  const app = await createServiceApp({
    mock,
    tree,
    strictPaths,
    corsOrigin,
    clientTimeout: 1000,
    logger: SILENT,
    sockets: { tlsMode: () => 'normal', reset() {}, abandon() {} },
    serverFactory: (handler) => createServer(handler),
    clientErrorHandler: () => {},
  });
  const ask = async (method: string, url: string, more: InjectOptions = {}) => {
    const { statusCode, body, headers } = await app.inject({
      method: method as 'GET',
      url,
      ...more,
    });
    return { status: statusCode, body, headers };
  };
  return { app, mock, ask };
}
