import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import * as Type from 'typebox';
import { errors } from '../schemas/error.ts';
import { OVERVIEW, type Overview } from '../schemas/overview.ts';

/** The options of the overview and the live page. */
export interface OverviewOptions {
  readonly overview: () => Overview;
  /** The folder with the files of the live page. */
  readonly pageFolder: string;
}

const schema = {
  summary: 'Show the mock and its settings; in a browser, show the live page',
  response: {
    ...errors(),
    200: {
      description: 'The live page if the request accepts text/html.',
      content: {
        'application/json': { schema: OVERVIEW },
        'text/html': { schema: Type.String() },
      },
    },
  },
};

/** The files that the live page loads, and their types. */
const FILES = {
  'app.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** The page can only load its own files and use this API. Nothing that it shows is run. */
const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  "require-trusted-types-for 'script'",
].join('; ');

/** `GET /`: the mock and its settings; the live page and its files. */
export const overviewRoutes: FastifyPluginAsyncTypebox<OverviewOptions> = async (
  app,
  { overview, pageFolder },
) => {
  /** Each file is kept, so that a build that replaces them does not change a running mock. */
  const files = new Map<string, string>();
  const sendFile = async (reply: FastifyReply, file: string, type: string): Promise<string> => {
    reply.type(type).headers({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
    const text = files.get(file) ?? (await readFile(join(pageFolder, file), 'utf8'));
    files.set(file, text);
    return text;
  };
  const config = { needsToken: ({ accept }: IncomingHttpHeaders) => !isBrowser(accept) };
  app.get('/', { schema, config }, async ({ headers }, reply) => {
    reply.header('vary', 'accept');
    return isBrowser(headers.accept)
      ? sendFile(reply, 'index.html', 'text/html; charset=utf-8')
      : overview();
  });
  for (const [file, type] of Object.entries(FILES)) {
    const options = { schema: { hide: true }, config: { needsToken: () => false } };
    app.get(`/page/${file}`, options, async (_request, reply) => sendFile(reply, file, type));
  }
};

function isBrowser(accept = ''): boolean {
  return /\btext\/html\b/i.test(accept);
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether a request must carry the token. The live page has no secrets, and asks for the token.
     *
     * @default () => true
     */
    needsToken?: (headers: IncomingHttpHeaders) => boolean;
  }
}
