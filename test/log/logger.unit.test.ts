import { describe, expect, test } from 'vitest';
import { createLogger, describeBug, logBug, logRequest, SILENT } from '../../src/log/logger.ts';
import { RequestRecord } from '../../src/mock/journal/record.ts';

/** A logger at level `info`, and the records that it has written. */
async function recordingLogger() {
  const records: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void records.push(JSON.parse(line)) };
  return { logger: await createLogger({ level: 'info', stream }), records };
}

describe('a silent logger', () => {
  test('does not need pino', async () => {
    expect(await createLogger({ level: 'silent', stream: { write: () => {} } })).toBe(SILENT);
  });

  test('has level silent, and so have its children', () => {
    expect(SILENT.level).toBe('silent');
    expect(SILENT.child({})).toBe(SILENT);
  });
});

describe('the log line of a request', () => {
  const logged = async (known: Partial<RequestRecord>, cause?: string) => {
    const { logger, records } = await recordingLogger();
    const record = Object.assign(new RequestRecord({ method: null, headers: {} }), known);
    logRequest(logger, record, cause);
    expect(records).toHaveLength(1);
    const [{ level, time, msg, ...fields } = {}] = records;
    expect([level, msg]).toEqual([30, 'request']);
    return fields;
  };

  test('has the request, the source of the response, and the duration', async () => {
    const fields = {
      account: 'account-1',
      method: 'GET',
      status: 200,
      source: 'fixture',
      variant: 'empty',
    } as const;
    const logs = await logged({ ...fields, loggedPath: '/momo/balance', durationMs: 1.5 });
    expect(logs).toEqual({ ...fields, path: '/momo/balance', duration: 1.5 });
  });

  test('says that a fault was simulated, or that the client left', async () => {
    const fields = { fault: 'hang', aborted: true } as const;
    expect(await logged(fields)).toEqual(fields);
  });

  test('has the reason of a refusal with a hint, and the error of a connection', async () => {
    expect(await logged({ reason: 'key-missing', status: 401 }, 'ECONNRESET')).toEqual({
      reason: 'key-missing',
      status: 401,
      hint: expect.stringContaining('Add ?apikey=<key> to the URL'),
      cause: 'ECONNRESET',
    });
  });

  test('has no field without a value', async () => {
    expect(await logged({})).toEqual({});
  });
});

describe('a bug in the log', () => {
  test('has its name and its stack, and not its message', async () => {
    const { logger, records } = await recordingLogger();
    const bug = new TypeError('sekret at one\n    at sekret two');
    logBug(logger, bug, 'Failed to respond');
    logger.error({ err: bug }, 'Failed inside a library');
    const at = expect.arrayContaining([
      expect.stringMatching(/^at \S.*logger\.unit\.test\.ts:\d+:\d+\)?$/),
    ]);
    expect(records).toMatchObject([
      { level: 50, error: 'TypeError', at, msg: 'Failed to respond' },
      { level: 50, err: { error: 'TypeError', at }, msg: 'Failed inside a library' },
    ]);
    expect(JSON.stringify(records)).not.toContain('sekret');
  });

  test.each([
    ['a text', 'sekret', 'string'],
    ['nothing', undefined, 'undefined'],
    [
      'an error without a stack',
      Object.assign(new RangeError(), { stack: undefined }),
      'RangeError',
    ],
  ])('that throws %s is named for the thrown value', (_what, thrown, error) => {
    expect(describeBug(thrown)).toEqual({ error, at: [] });
  });
});
