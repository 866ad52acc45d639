import { readFileSync } from 'node:fs';
import * as Type from 'typebox';
import { pageFolder } from '../../shipped/folders.ts';
import { type Call, Reply, route } from '../route.ts';
import { OVERVIEW } from '../schemas.ts';

const FILES = {
  'index.html': 'text/html; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

type FileName = keyof typeof FILES;

/** All are read at once, because a build can replace the folder, and two builds do not fit together. */
let files: ReadonlyMap<string, Buffer> | undefined;

/** The page can load only its own files and call this API. Nothing that it displays can run. */
const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  "require-trusted-types-for 'script'",
].join('; ');

const isBrowser = ({ accept = '' }: Call['headers']) => /\btext\/html\b/i.test(`${accept}`);

function page(name: FileName, more: object = {}): Reply {
  const names = Object.keys(FILES);
  files ??= new Map(names.map((file) => [file, readFileSync(`${pageFolder}/${file}`)]));
  return new Reply(files.get(name), {
    'content-type': FILES[name],
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
    ...more,
  });
}

function pageFile(name: FileName) {
  return route({
    summary: 'A file of the live page',
    account: false,
    isHidden: true,
    needsToken: () => false,
    run: () => page(name),
  });
}

export const overviewRoutes = {
  'GET /': route({
    summary: 'Get the version, the certificate and the settings',
    account: false,
    result: {
      description: 'JSON, or the live page for a browser, which accepts text/html.',
      content: {
        'application/json': { schema: OVERVIEW },
        'text/html': { schema: Type.String() },
      },
    },
    // The live page contains no secrets, and asks for the token.
    needsToken: (headers) => !isBrowser(headers),
    run: ({ server, headers }) => {
      const vary = { vary: 'accept' };
      return isBrowser(headers) ? page('index.html', vary) : new Reply(server.overview(), vary);
    },
  }),
  'GET /page/app.js': pageFile('app.js'),
  'GET /page/style.css': pageFile('style.css'),
  'GET /page/icon.svg': pageFile('icon.svg'),
};
