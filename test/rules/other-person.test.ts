/** [contract: Additions; faults: 370] Whether two people are surely two: then nothing of the one is quoted to the other. */
import { expect, test } from '@jest/globals';
import { arePeopleApart } from '../../src/rules/messages/other-person.ts';

test.each([
  ['two numbers', ['4915900000777'], ['4915900000778'], true],
  ['the number of Brazil with and without its nine', ['5521987654321'], ['552187654321'], false],
  ['a number of Mexico with and without its one', ['5215512345678'], ['525512345678'], false],
  ['a local form', ['015900000777'], ['4915900000777'], false],
  ['a number and an id that nobody has told to be its', ['4915900000777'], ['DE.13'], false],
  ['two ids', ['DE.13'], ['DE.14'], true],
  ['an id and one of several portfolios', ['DE.13'], ['DE.ENT.14'], false],
  ['an id of another number', ['DE.13', '4915900000777'], ['4915900000778'], true],
  ['an id of the number', ['DE.13', '4915900000777'], ['4915900000777', 'DE.13'], false],
  ['two ids of one number', ['DE.13', '4915900000777'], ['DE.ENT.14', '4915900000777'], false],
])('%s', (_what, names, others, expected) => {
  expect([arePeopleApart(names, others), arePeopleApart(others, names)]).toEqual([expected, expected]);
});
