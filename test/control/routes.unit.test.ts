import { expect, it } from 'vitest';
import type { Send } from '../../src/library/client.ts';
import { jsonGiven } from '../../src/library/given-json.ts';

const sent: string[] = [];
const send = (async (route: string) => void sent.push(route)) as unknown as Send;

// The expected errors fail `npm run typecheck` when the compiler no longer finds them.
it('the compiler refuses a request of the library to an unknown route, or with a wrong body or query', async () => {
  // @ts-expect-error: no route has this name
  await send('PUT /variants');
  // @ts-expect-error: the variant is text
  await send('PUT /variant', { json: jsonGiven({ variant: 1 }, 'variant') });
  // @ts-expect-error: the route has no body
  await send('POST /reset', { json: jsonGiven({ variant: 'empty' }, 'variant') });
  // @ts-expect-error: the limit is a number
  await send('GET /requests', { query: { limit: '1' } });
  await send('PUT /variant', { json: jsonGiven({ variant: 'empty' }, 'variant') });
  expect(sent).toHaveLength(5);
});
