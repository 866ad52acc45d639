import type { Static } from 'typebox';
import * as Type from 'typebox';
import { LIMIT, PATIENCE } from '../../drill/times.ts';
import { closedObject, define, jsonValue } from '../../mock/json/define.ts';
import { AMOUNTS } from '../../mock/ledger/drill-definition.ts';
import { SCHEMA_OF_EDITOR } from '../../mock/responses/scripted-response.ts';

const PLACEHOLDERS_OF_START = '{port} {url} {apiKey} {webhook} {webhookSecret} {credentials.NAME}';

const text = (description: string) => Type.String({ description, title: 'text', minLength: 1 });
const texts = (description: string) =>
  Type.Record(Type.String(), Type.String(), { description, title: 'an object of texts' });
const words = (description: string) =>
  Type.Immutable(
    Type.Array(Type.String({ title: 'text', minLength: 1 }), { description, minItems: 1 }),
  );

const HTTP_FIELDS = {
  url: text('Where to send the request.'),
  method: Type.Optional(
    Type.String({
      description: 'The method. Default: GET for outcome, POST for pay and reconcile.',
      title: 'a method in capital letters, such as POST',
      pattern: '^[A-Z]+$',
    }),
  ),
  headers: Type.Optional(texts('The headers of the request.')),
  body: Type.Optional(
    jsonValue({
      description:
        'The body. A string is sent as it is, anything else as JSON. "{amount}" as a whole string becomes a number.',
    }),
  ),
};
const COMMAND_FIELDS = { command: words('A program and its arguments. No shell reads them.') };
const STATE_FIELDS = {
  field: Type.Optional(
    text(
      'The path of the state in the JSON of the response, or of the last line of standard output, such as order.status. Default: the whole text is the state.',
    ),
  ),
  paid: Type.Optional(words('The states that mean paid. Default: paid.')),
  failed: Type.Optional(words('The states that mean failed. Default: failed.')),
  fulfilled: Type.Optional(
    text('The path of how often the order was fulfilled: a number, or a list.'),
  ),
};
const HTTP_CALL = closedObject(HTTP_FIELDS);
const COMMAND_CALL = closedObject(COMMAND_FIELDS);
const call = (description: string) =>
  Type.Union([HTTP_CALL, COMMAND_CALL], {
    description: `${description} More placeholders: {order} {amount} {currency} {phone}`,
  });
const OUTCOME_CALL = Type.Union(
  [
    closedObject({ ...HTTP_FIELDS, ...STATE_FIELDS }),
    closedObject({ ...COMMAND_FIELDS, ...STATE_FIELDS }),
  ],
  { description: 'Asks your application for the state of an order.' },
);

export type HttpCall = Static<typeof HTTP_CALL>;
export type Call = HttpCall | Static<typeof COMMAND_CALL>;
export type OutcomeCall = Static<typeof OUTCOME_CALL>;

export const CONCURRENCY = { minimum: 1, maximum: 32 };

export const DRILL_CONFIG = define(
  closedObject(
    {
      preset: Type.Optional(text('The preset that models your provider.')),
      fixturesDir: Type.Optional(text('Your fixture folder, if it is not fixtures.')),
      start: Type.Optional(
        text(
          `The shell command that starts your application, anew for each failure. Placeholders: ${PLACEHOLDERS_OF_START}. Default: it runs already.`,
        ),
      ),
      ready: Type.Optional(
        text(
          'The URL that responds with a status below 500 when your application is ready. Default: its port accepts connections.',
        ),
      ),
      webhook: Type.Optional(text('Where your application receives webhooks.')),
      env: Type.Optional(texts('More environment variables for your application.')),
      pay: call('Starts a payment, as a customer would.'),
      outcome: OUTCOME_CALL,
      reconcile: Type.Optional(call('Runs your application’s cron job, when time has passed.')),
      amounts: Type.Optional({
        ...AMOUNTS,
        description:
          'Amounts by currency, such as { "XOF": [1000, 2500] }, for an application that does not take those of the preset. Each order gets another one.',
      }),
      only: Type.Optional(words('The failures to run, after success. Default: all.')),
      limit: Type.Optional(
        Type.Integer({
          description: 'How long the drill waits for what it brings about itself, in ms.',
          ...{ ...LIMIT, default: 20_000 },
        }),
      ),
      concurrency: Type.Optional(
        Type.Integer({
          description: 'How many failures run at once, each with an application of its own.',
          ...{ ...CONCURRENCY, default: 1 },
        }),
      ),
      patience: Type.Optional(
        Type.Integer({
          description:
            'How long your application may take to respond, to end its requests, and to learn how a payment ended, in ms. Default: 60000, less with a shorter limit.',
          ...PATIENCE,
        }),
      ),
      $schema: Type.Optional(SCHEMA_OF_EDITOR),
    },
    { $id: 'Drill' },
  ),
);

export type DrillConfig = (typeof DRILL_CONFIG)['~unsafe'];
