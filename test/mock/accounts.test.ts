import { describe, expect, test } from 'vitest';
import { Accounts } from '../../src/mock/accounts.ts';
import { parseTarget } from '../../src/mock/request-target.ts';

const accounts = new Accounts([{ key: 'good' }, { key: 'a+/=', variant: 'empty' }]);

function find(query: string, headers: Record<string, string> = {}) {
  return accounts.find(parseTarget(`/x?${query}`)?.query ?? [], headers);
}

describe('the check of a key', () => {
  test('a good key opens its account, which is named without it', () => {
    expect(find('apikey=good')).toMatchObject({ id: 'account-1', initialVariant: undefined });
  });

  test('a percent-encoded key and a percent-encoded name are the same key', () => {
    expect(find('apikey=a%2B%2F%3D')).toMatchObject({ id: 'account-2', initialVariant: 'empty' });
    expect(find('%61pikey=%67ood')).toMatchObject({ id: 'account-1' });
  });

  test.each([
    ['', 'key-missing'],
    ['x=1', 'key-missing'],
    ['apikey=', 'key-empty'],
    ['apikey', 'key-empty'],
    ['apikey=bad', 'key-unknown'],
    ['apikey=GOOD', 'key-unknown'],
    ['apikey=good%20', 'key-unknown'],
    ['apikey=__proto__', 'key-unknown'],
    ['apikey=good&apikey=good', 'key-repeated'],
    ['apikey=good&apikey=bad', 'key-repeated'],
    ['apikey=&apikey=good', 'key-repeated'],
    ['apikey[]=good', 'key-misspelt'],
    ['apiKey=good', 'key-misspelt'],
    ['api_key=good', 'key-misspelt'],
    ['APIKEY=good', 'key-misspelt'],
    ['key=good', 'key-misspelt'],
    ['monkey=good', 'key-missing'],
  ])('?%s is refused: %s', (query, reason) => {
    expect(find(query)).toBe(reason);
  });

  test.each(['apikey', 'x-api-key', 'authorization'])('a key in the header %s alone', (name) => {
    expect(find('', { [name]: 'good' })).toBe('key-in-header');
  });

  test('a key in a header takes nothing from a good one in the query', () => {
    expect(find('apikey=good', { apikey: 'bad' })).toMatchObject({ id: 'account-1' });
  });

  test('another header is no key', () => {
    expect(find('', { accept: 'good', host: 'good' })).toBe('key-missing');
  });
});
