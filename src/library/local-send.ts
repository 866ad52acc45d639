import type { MockServer } from '../server.ts';
import type { Send } from './client.ts';
import { closed } from './momo-mock.ts';

/**
 * Makes the calls of the control API to a mock in this process, without HTTP: each goes straight to
 * the table of its routes.
 *
 * @param end aborted when the mock is closed, which ends the calls
 */
export function localSend({ controlled }: Pick<MockServer, 'controlled'>, end: AbortSignal): Send {
  return async (name, { apikey, query = {}, json } = {}) => {
    // Most tests only start and close a mock.
    const [{ perform }, { Listed }, { ROUTES }] = await Promise.all([
      import('../control/perform.ts'),
      import('../control/route.ts'),
      import('../control/routes.ts'),
    ]);
    if (end.aborted) throw closed();
    const route = ROUTES.find(({ method, path }) => `${method} ${path}` === name);
    if (route === undefined) throw new Error(`No route is ${name}: a bug in momo-mock.`);
    const bytes = Buffer.from(json ?? '');
    const given = { params: {}, query: JSON.parse(JSON.stringify(query)), bytes };
    const call = { apikey, headers: {}, signal: end };
    const result = await perform(route, controlled, given, call);
    const whole = result instanceof Listed ? await result.whole() : (result ?? {});
    if (end.aborted) throw closed();
    return JSON.parse(JSON.stringify(whole));
  };
}
