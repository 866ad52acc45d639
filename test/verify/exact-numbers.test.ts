import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../endurance/scale.ts';
import { AS_JSON, ask, control } from '../support/client.ts';
import { jsonNumber } from '../support/exact-json.ts';
import { sharedMock, startMock } from '../support/mock.ts';
import { startWebhook } from '../support/webhook.ts';

const FILES = { 'momo/pay.post.js': 'export default () => {};' };
const BIG = '12345678901234567890';
const ROUNDED = '12345678901234567000';
const pay = (body: string) => ({ method: 'POST', body });

/** Numbers with one decimal value, in each row. */
const EQUAL = [
  ['100', '100.00', '1e2', '1E+2', '1000e-1', '100e-000', '0.1e3'],
  ['0', '-0', '0.00', '-0e5', '0E-99999999999999999999'],
  [BIG, `${BIG}.0`, '1234567890123456789e1', '1.234567890123456789e+19'],
  [ROUNDED, '12345678901234567e3'],
  ['12345678901234567891'],
  ['9007199254740992'],
  ['9007199254740993', '9007199254740993.000'],
  ['-100', '-1e2'],
  ['0.1', '0.10', '1e-1'],
  ['0.1000000000000000055511151231257827'],
  ['1E400', '10e399', '1e0000400'],
  ['1E401'],
  ['1e99999999999999999999', '10e99999999999999999998'],
] as const;

describe('numbers of an expectation are compared by their decimal value', () => {
  const mock = sharedMock(FILES, { control: true });

  /** What `POST /verify` says of requests with this body; `undefined` if there is one. */
  async function problem(body: string, line = 'POST /verify'): Promise<string | undefined> {
    const sent = { headers: AS_JSON, body: `{"body":${body}}` };
    const { status, json } = await control(mock(), line, sent);
    expect([200, 422]).toContain(status);
    return status === 200 ? undefined : (json as { error: { message: string } }).error.message;
  }

  it.each(EQUAL.flatMap((equal) => equal.map((received) => ({ received, equal }))))(
    '$received',
    async ({ received, equal }) => {
      await ask(mock(), '/momo/pay', pay(`{"list":[{"id":${received}}]}`));
      for (const expected of EQUAL.flat()) {
        const said = await problem(`{"list":[{"id":${expected}}]}`);
        if ((equal as readonly string[]).includes(expected)) expect(said, expected).toBeUndefined();
        else {
          const difference = `body.list[0].id: expected ${expected}, received ${received}`;
          expect(said).toContain(difference);
        }
      }
    },
  );

  it('for random digits', async () => {
    const shifted = fc.tuple(jsonNumber, fc.nat(30)).map(([number, zeros]) => {
      const [, start = '', fraction = '', exponent = '0'] =
        /^(-?\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(number) ?? [];
      const power = BigInt(exponent) - BigInt(fraction.length + zeros);
      return [
        number,
        `${start}${fraction}${'0'.repeat(zeros)}e${power}`.replace(/^(-?)0+(?=\d)/, '$1'),
      ] as const;
    });
    await fc.assert(
      fc.asyncProperty(shifted, async ([received, expected]) => {
        await mock().reset();
        await ask(mock(), '/momo/pay', pay(`[${received}]`));
        expect(await problem(`[${expected}]`)).toBeUndefined();
        expect(await problem(`[${expected.replace(/^-?/, '$&1')}]`)).toContain(
          `received ${received}`,
        );
      }),
      runs(1000, 50),
    );
  });

  it('in webhooks, too', async () => {
    const { url } = await startWebhook();
    const body = `{"url":"${url}","body":[${BIG}]}`;
    await control(mock(), 'POST /webhooks', { headers: AS_JSON, body });
    expect(await problem(`[${BIG}.0]`, 'POST /verify/webhooks')).toBeUndefined();
    expect(await problem(`[${ROUNDED}]`, 'POST /verify/webhooks')).toContain(`received ${BIG}`);
  });

  it('in a body with more levels than an expectation can have', async () => {
    const deep = `${'['.repeat(5000)}1.0${']'.repeat(5000)}`;
    await ask(mock(), '/momo/balance', { body: `{"id":${BIG},"deep":${deep}}` });
    expect(await problem(`{"id":${BIG}}`)).toBeUndefined();
    expect(await problem(`{"id":${ROUNDED}}`)).toContain(`received ${BIG}`);
  });
});

it('a bigint in an expectation is compared by all its digits', async () => {
  const mock = await startMock(FILES);
  await ask(mock, '/momo/pay', pay(`{"id":${BIG},"amount":100.00}`));
  await mock.verify({ body: { id: BigInt(BIG), amount: 100 } });
  await mock.verify({ body: { id: BigInt(BIG) + 1n }, times: 0 });
  await expect(mock.verify({ body: { id: BigInt(BIG) + 1n } })).rejects.toThrow(
    `body.id: expected ${BIG.slice(0, -1)}1, received ${BIG}`,
  );
});

it.each([2 ** 53, -(2 ** 53), Number(BIG), 1e21])(
  'the number %d in an expectation is refused, because JavaScript may have rounded it',
  async (id) => {
    const mock = await startMock(FILES);
    const error = {
      code: 'MOMO_MOCK_REQUEST_INVALID',
      message: `Failed to read expected: JavaScript may have rounded ${id}, which is not a safe integer. Write it as a bigint, such as 12345678901234567890n.`,
    };
    for (const expected of [
      { body: { id } },
      [{}, { body: [[id]] }],
      { exactly: [{ body: id }] },
    ]) {
      await expect(mock.verify(expected)).rejects.toMatchObject(error);
      await expect(mock.verifyWebhooks(expected)).rejects.toMatchObject(error);
    }
    await mock.verify({ body: { id: 2 ** 53 - 1, rate: 1.5 }, times: 0 });
  },
);
