import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { bareHost } from '../../tls/names.ts';
import { trustStore } from './jks.ts';

const STORE = 'momo-mock.jks';

/**
 * Creates a trust store. Returns the variable that makes Java use it, also with the options that
 * redirect Java.
 */
export async function javaTrust(
  folder: string,
  certificates: readonly string[],
  redirect: Readonly<Record<string, string>>,
  warn: (text: string) => void,
) {
  const given = redirect.JAVA_TOOL_OPTIONS ?? process.env.JAVA_TOOL_OPTIONS;
  const others = given?.match(/-Djavax\.net\.ssl\.trustStore\S*/g) ?? [];
  // A run around this one has set its own.
  if (others.some((option) => !option.includes(STORE))) {
    warn(
      'Failed to make Java trust the mock: JAVA_TOOL_OPTIONS already names a trust store. Import the certificate in MOMO_MOCK_CA into it.',
    );
    return {};
  }
  const path = join(folder, STORE);
  await writeFile(path, trustStore(certificates));
  return withOptions(given, [`-Djavax.net.ssl.trustStore=${path}`]);
}

/** The variable that makes Java use the proxy for HTTPS. */
export function javaProxy(proxy: string, noProxy: string) {
  const { hostname, port } = new URL(proxy);
  return withOptions(process.env.JAVA_TOOL_OPTIONS, [
    `-Dhttps.proxyHost=${bareHost(hostname)}`,
    `-Dhttps.proxyPort=${port}`,
    // The option for HTTPS has this name, too.
    `-Dhttp.nonProxyHosts=${noProxy.split(',').flatMap(asJavaHosts).join('|')}`,
  ]);
}

/** Java compares whole names, and an entry of `NO_PROXY` also covers the names below it. */
function asJavaHosts(entry: string): string[] {
  const name = isIP(entry) ? entry : entry.replace(/:\d+$/, '').replace(/^\*?\./, '');
  switch (isIP(name)) {
    case 0:
      return [name, `*.${name}`];
    case 4:
      return [name];
    default:
      return [`[${name}]`];
  }
}

function withOptions(given: string | undefined, options: readonly string[]) {
  return { JAVA_TOOL_OPTIONS: [...(given ? [given] : []), ...options.map(quoted)].join(' ') };
}

/** As the JVM reads it: quotes may begin and end in the middle of a word. */
function quoted(option: string): string {
  return /[\s'"]/.test(option) ? `"${option.replaceAll('"', `"'"'"`)}"` : option;
}
