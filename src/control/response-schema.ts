import { LONGEST_DELAY } from '../mock/delay.ts';
import { FAULTS } from '../mock/fault.ts';
import { BALANCE } from '../mock/operation.ts';
import { FRAMING } from '../mock/scripted-response.ts';

// For the description alone: what may be is decided by the core. A test holds one against the other.

const ms = (description: string) => {
  return { type: 'number', minimum: 0, maximum: LONGEST_DELAY, description } as const;
};
const seed = {
  type: 'integer',
  minimum: 0,
  maximum: 0xffff_ffff,
  description: 'The same delays in the same order again.',
} as const;
const value = { type: 'string', pattern: '^[\\t -~\\u0080-\\u00ff]*$' } as const;
const record = { type: 'object', additionalProperties: false } as const;

const delay = {
  description: 'How long the answer waits, in ms.',
  default: 0,
  anyOf: [
    ms('Always the same.'),
    {
      ...record,
      description: 'Drawn evenly from a range; max is not below min.',
      required: ['min', 'max'],
      properties: { min: ms('The shortest.'), max: ms('The longest.'), seed },
    },
    {
      ...record,
      description: 'Drawn from a log-normal distribution.',
      required: ['median', 'sigma'],
      properties: {
        median: ms('Half of the delays are longer.'),
        sigma: { type: 'number', minimum: 0, maximum: 10, description: 'How far they spread.' },
        seed,
      },
    },
  ],
} as const;

const fault = {
  description: 'How the answer is broken on the wire.',
  anyOf: [
    { type: 'string', enum: FAULTS },
    { ...record, required: ['type'], properties: { type: { type: 'string', enum: FAULTS } } },
    {
      ...record,
      required: ['type', 'duration'],
      properties: {
        type: { type: 'string', const: 'dribble' },
        duration: ms('From the first piece to the last, in ms; left out: 1000.'),
      },
    },
  ],
} as const;

/** The schema of what a test scripts the service to say. */
export const RESPONSE_SCHEMA = {
  $id: 'Response',
  ...record,
  properties: {
    operation: {
      type: 'string',
      default: BALANCE,
      description: 'The operation that it is for, as GET /health lists them.',
    },
    status: {
      type: 'integer',
      minimum: 200,
      maximum: 599,
      description: 'From 400 on, without a body, the body is that of the fixture errors/<status>.',
    },
    headers: {
      type: 'object',
      description: 'A list is sent several times.',
      propertyNames: {
        pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z\\-]+$",
        not: { pattern: `^(${FRAMING.map(inAnyCase).join('|')})$` },
      },
      additionalProperties: { anyOf: [value, { type: 'array', items: value }] },
    },
    body: { description: 'Text is sent as it is, anything else as JSON.' },
    delay,
    fault,
    times: {
      description: 'For how many requests; always is for good.',
      default: 1,
      anyOf: [
        { type: 'integer', minimum: 1, maximum: 1e9 },
        { type: 'string', const: 'always' },
      ],
    },
    beforeKeyCheck: {
      type: 'boolean',
      default: false,
      description: 'Answer so before the key is looked at. For the whole service only.',
    },
  },
  examples: [
    { status: 503, headers: { 'retry-after': '1' }, times: 2 },
    { delay: { min: 100, max: 400, seed: 7 }, times: 'always' },
    { fault: { type: 'dribble', duration: 500 } },
  ],
} as const;

/** A pattern has no flags. */
function inAnyCase(name: string): string {
  return name.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
