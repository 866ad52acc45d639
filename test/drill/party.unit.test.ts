import { expect, it } from 'vitest';
import { isSameParty, localDigitsOf } from '../../src/drill/party.ts';

it.each([
  ['22990000001', '22990000001', 'equal'],
  ['22990000001', '+229 90 00 00 01', 'with a plus and spaces'],
  ['22990000001', '0022990000001', 'with the prefix of international calls'],
  ['22990000001', '229-90.00.00.01', 'with other characters'],
  ['22990000001', '2290190000001', 'with the 01 that Benin added'],
  ['22990000001', '90000001', 'without the country'],
  ['22990000001', '0190000001', 'with the 01, and without the country'],
  ['256770123456', '0770123456', 'with a zero in place of the country'],
  ['237670000034', '670000034', 'nine digits without the country'],
])('%s and %s are the same phone: %s', (one, other) => {
  expect(isSameParty(one, other)).toBe(true);
  expect(isSameParty(other, one)).toBe(true);
});

it.each([
  ['22990000001', '22990000002', 'the last digit'],
  ['22990000001', '22980000001', 'the first of eight digits'],
  ['22990000001', '22590000001', 'the country'],
  ['237670000034', '229670000034', 'the country of a longer number'],
  ['22990000001', '+22 590000001', 'the country, however it is written'],
  ['22990000001', '9000001', 'a digit that is missing'],
  ['22990000001', '', 'nothing at all'],
])('%s and %s are two phones: %s', (one, other) => {
  expect(isSameParty(one, other)).toBe(false);
  expect(isSameParty(other, one)).toBe(false);
});

it('the end of a number is the same in whatever form a request has it', () => {
  const forms = ['22990000001', '+229 01 90 00 00 01', '0190000001', '90000001'];
  expect(forms.map(localDigitsOf)).toEqual(Array(4).fill('90000001'));
});
