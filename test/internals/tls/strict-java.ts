import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { certificateBlocks } from '../../../src/tls/pem.ts';
import { QUICK_JAVA } from '../../support/quick-java.ts';
import { run } from './client-command.ts';
import { type StrictClient, url } from './strict-client.ts';

const SOURCE = fileURLToPath(new URL('clients/Client.java', import.meta.url));

/** A Java client with the first `count` blocks of the file in its trust store. */
export function java(
  options: Pick<StrictClient, 'name' | 'refusals' | 'hosts'> & { count: number },
): StrictClient {
  const folderOf = (caFile: string) => join(dirname(caFile), `java-${options.count}`);
  const classes = (caFile: string) => join(dirname(caFile), 'java-classes');
  const store = (caFile: string) => join(folderOf(caFile), 'store.p12');
  // One for all connections, since its start takes longer than they do.
  let machine: ChildProcessWithoutNullStreams;
  let said: AsyncIterator<string>;
  return {
    ...options,
    needs: ['javac', '-version'],
    prepare: async ({ ca, caFile }) => {
      mkdirSync(folderOf(caFile));
      if (!existsSync(join(classes(caFile), 'Client.class')))
        await run('javac', [
          ...QUICK_JAVA.map((flag) => `-J${flag}`),
          '-d',
          classes(caFile),
          SOURCE,
        ]);
      const files = [caFile];
      for (const [index, block] of certificateBlocks(ca).entries()) {
        if (index === 0 || index >= options.count) continue;
        files[index] = join(folderOf(caFile), `${index}.pem`);
        writeFileSync(files[index], block);
      }
      for (const [index, file] of files.entries()) {
        const into = ['-noprompt', '-storepass', 'changeit', '-keystore', store(caFile)];
        const words = ['-importcert', '-alias', `momo${index}`, ...into, '-file', file];
        await run('keytool', [...QUICK_JAVA.map((flag) => `-J${flag}`), ...words]);
      }
      const trust = [`trustStore=${store(caFile)}`, 'trustStorePassword=changeit'];
      const settings = trust.map((setting) => `-Djavax.net.ssl.${setting}`);
      machine = spawn('java', [...settings, ...QUICK_JAVA, '-cp', classes(caFile), 'Client'], {
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      });
      said = createInterface(machine.stdout)[Symbol.asyncIterator]();
    },
    connect: async (target) => {
      machine.stdin.write(`${url(target)}\n`);
      const { value = '' } = await said.next();
      if (!value.startsWith('got ')) throw new Error(value);
    },
    end: () => machine.stdin.end(),
  };
}
