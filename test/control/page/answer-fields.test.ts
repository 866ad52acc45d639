import { describe, expect, it } from 'vitest';
import {
  type AnswerFields,
  isJson,
  PRESETS,
  responseOf,
  responseWords,
  timesWords,
} from '../../../src/control/page/answer-fields.ts';
import { check } from '../../../src/mock/check.ts';
import { RESPONSE, type ScriptedResponse } from '../../../src/mock/scripted-response.ts';

const EMPTY: AnswerFields = {
  ...{ operation: 'GET /momo/balance', status: '', delay: '', fault: '', body: '', times: '' },
  isAlways: false,
};

describe('the form for an answer', () => {
  it.each<[Partial<AnswerFields>, Partial<ScriptedResponse>]>([
    [{}, {}],
    [{ status: '503' }, { status: 503 }],
    [{ delay: '0' }, { delay: 0 }],
    [{ fault: 'hang' }, { fault: 'hang' }],
    [{ body: '{"a":1}' }, { body: { a: 1 } }],
    [{ body: '{"a":' }, { body: '{"a":' }],
    [{ times: '2' }, { times: 2 }],
    [{ times: '2', isAlways: true }, { times: 'always' }],
  ])('leaves out what is empty: %j', (fields, response) => {
    const made = responseOf({ ...EMPTY, ...fields });
    expect(made).toEqual({ operation: 'GET /momo/balance', ...response });
    expect(check(RESPONSE, made)).toEqual(made);
  });

  it('tells JSON from text', () => {
    expect(['1', '"x"', 'x', '{'].map(isJson)).toEqual([true, true, false, false]);
  });

  it('has presets that are scripted responses, in the words of the page', () => {
    for (const { response } of PRESETS) expect(check(RESPONSE, response)).toEqual(response);
    expect(PRESETS.map(({ name, words }) => `${name}: ${words}`)).toMatchInlineSnapshot(`
      [
        "503 twice: 503, twice",
        "429: 429",
        "Slow 2 s: the normal answer after 2 s",
        "No answer: no answer",
        "Connection reset: a connection reset",
        "Half a body: half a body",
      ]
    `);
  });
});

describe('a scripted response in words', () => {
  it.each<[ScriptedResponse, string]>([
    [{}, 'the normal answer'],
    [{ status: 503, body: '' }, '503, own body'],
    [{ headers: { 'x-a': '1', 'x-b': '2' } }, 'headers x-a, x-b'],
    [{ delay: 20 }, 'after 20 ms'],
    [{ delay: { min: 1, max: 2 } }, 'after 1 to 2 ms'],
    [{ delay: { median: 5, sigma: 0.5 } }, 'after about 5 ms'],
    [{ fault: 'reset' }, 'connection reset'],
    [{ fault: { type: 'dribble', duration: 20 } }, 'the body in pieces'],
    [{ status: 401, beforeKeyCheck: true }, '401, before the key check'],
    [{ beforeKeyCheck: false }, 'the normal answer'],
  ])('%j', (response, words) => {
    expect(responseWords(response)).toBe(words);
  });

  it('says how often it is still used', () => {
    const all = [{}, { times: 3 }, { times: 'always' }] as const;
    expect(all.map(timesWords)).toEqual(['1 left', '3 left', 'always']);
  });
});
