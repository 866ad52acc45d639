import { type Route, route } from './route.ts';
import { accountsRoutes } from './routes/accounts.ts';
import { balanceRoutes } from './routes/balance.ts';
import { clockRoutes } from './routes/clock.ts';
import { eventsRoutes } from './routes/events.ts';
import { ledgerRoutes } from './routes/ledger.ts';
import { operationsRoutes } from './routes/operations.ts';
import { overviewRoutes } from './routes/overview.ts';
import { promptsRoutes } from './routes/prompts.ts';
import { rateLimitRoutes } from './routes/rate-limit.ts';
import { requestsRoutes } from './routes/requests.ts';
import { responsesRoutes } from './routes/responses.ts';
import { serverRoutes } from './routes/server.ts';
import { snapshotRoutes } from './routes/snapshot.ts';
import { stateRoutes } from './routes/state.ts';
import { variantRoutes } from './routes/variant.ts';
import { verifyRoutes } from './routes/verify.ts';
import { webhooksRoutes } from './routes/webhooks.ts';

const description = route({
  summary: 'Get the description of this API',
  account: false,
  result: { type: 'object', description: 'An OpenAPI 3.1 document.' },
  run: async ({ server }): Promise<object> => {
    const { describeRoutes } = await import('./description.ts');
    return describeRoutes(ROUTES, (await server.health()).version, server.hasToken);
  },
});

const ALL = {
  ...overviewRoutes,
  ...serverRoutes,
  ...balanceRoutes,
  ...variantRoutes,
  ...rateLimitRoutes,
  ...responsesRoutes,
  ...requestsRoutes,
  ...verifyRoutes,
  ...webhooksRoutes,
  ...eventsRoutes,
  ...operationsRoutes,
  ...stateRoutes,
  ...ledgerRoutes,
  ...clockRoutes,
  ...promptsRoutes,
  ...accountsRoutes,
  ...snapshotRoutes,
  'GET /openapi.json': description,
};

type TypesOf<Given> =
  Given extends Route<infer Query, infer Body, infer Result>
    ? { readonly query: Query; readonly body: Body; readonly result: Awaited<Result> }
    : never;

/** The types of all routes by name, such as `PUT /variant`. */
export type Routes = { readonly [Name in keyof typeof ALL]: TypesOf<(typeof ALL)[Name]> };

/** All routes by name. The types of their definitions are too narrow for one list. */
export const ROUTES = ALL as object as Readonly<Record<keyof Routes, Route>>;
