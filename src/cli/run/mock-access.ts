import type { MockServer } from '../../server/mock-server.ts';

/** What the environment of a command is made from. */
export interface MockAccess {
  readonly server: Pick<MockServer, 'url' | 'port' | 'controlUrl' | 'certificate'>;
  /** The first configured key. */
  readonly apiKey: string;
  /** The URL of the proxy; `undefined` if the control API is off. */
  readonly proxy: string | undefined;
  /** The path of the mock's certificate. */
  readonly file: string;
  /** A writable folder for more files. */
  readonly folder: string;
}
