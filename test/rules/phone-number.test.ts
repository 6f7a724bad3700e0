/** [upstream §4.6] Numbers that upstream writes in two forms. */
import { expect, test } from '@jest/globals';
import { commonForm, numberIn } from '../../src/rules/phone-number.ts';

test.each([
  ['the same digits', '15550100042', '15550100042', true],
  ['Brazil, without the ninth digit', '5541987654321', '554187654321', true],
  ['Argentina, with the 9 of mobile numbers', '541123456789', '5491123456789', true],
  ['Mexico, with the 1 of mobile numbers', '525512345678', '5215512345678', true],
  ['two numbers of a block', '5541987654321', '5541987654322', false],
  ['another country', '5541987654321', '4941987654321', false],
  ['a number that is too short', '1', '5541987654321', false],
  ['two short numbers', '4612345678', '4712345678', false],
  ['no number', '', '15550100042', false],
])('%s', (_, one, other, isSame) => {
  expect(commonForm(one) === commonForm(other)).toBe(isSame);
});

test('[faults: 570] a number that was copied with marks that nobody sees is found by its digits', () => {
  expect(numberIn('\u202a+49 159 00000-777\u202c', 3)).toBe('4915900000777');
  expect(numberIn('\u202e777000\u202c', 3)).toBe('');
});
