import type { DrillConfig } from './config.ts';

/**
 * How the application's requests find the mock, for an application that sends none.
 *
 * @param hosts those that are redirected
 * @param variables the names of the variables that redirect them
 */
export function redirectSentence(
  { start, pay }: DrillConfig,
  hosts: readonly string[],
  variables: readonly string[],
): string {
  const itself = 'Its base URL has to be {url}';
  if (start === undefined && 'url' in pay) {
    return `Your application runs already, so the drill cannot redirect its requests. ${itself}, which pay can pass along.`;
  }
  const how = 'pass it in env, in start or in a call';
  if (hosts.length === 0) return `The drill redirects no host. ${itself}: ${how}.`;
  return `The drill redirects ${hosts.join(', ')} to the mock with the environment variables ${variables.join(', ')}. A client that reads none of them asks the real host. So does one whose process does not get them, as with env -i or sudo, and one that looks for them elsewhere: NativeHttpClient of Symfony finds none under php -S. For such a client, configure {url} as its base URL: ${how}.`;
}
