/** Why nothing that was granted can be connected. [operator-interface §3; faults: 81] */
import { expect, test } from '@jest/globals';
import { explainNothing, explainUnusable } from '../../src/rules/channels/unusable.ts';

const page = { identity: '4223', name: 'Bakery' };

test.each([
  ['no_number', /has no number: add and verify a number/],
  ['unreadable', /does not show it to this service: ask somebody with full control/],
  ['no_messaging_task', /your role there does not include its messages: ask its owner/],
  ['no_token', /you have no access of your own to it: ask its owner/],
  ['permission_missing', /^a permission was not given for it$/],
  ['no_photo_account', /no professional photo account is linked/],
] as const)('%s is explained with what to do', (why, sentence) => {
  expect(explainUnusable({ ...page, why })).toMatch(sentence);
});

test('the missing permission is named', () => {
  expect(explainUnusable({ ...page, why: 'permission_missing', permission: 'pages_messaging' })).toBe(
    'the permission pages_messaging was not given for it',
  );
});

test('a flow in which nothing can be connected names each by its id', () => {
  expect(explainNothing([])).toBeNull();
  expect(
    explainNothing([
      { ...page, why: 'permission_missing' },
      { identity: '<b>', name: null, why: 'permission_missing', permission: 'x' },
    ]),
  ).toBe(
    'Nothing that was selected can be connected. 4223: a permission was not given for it. One: the permission x was not given for it. Then start the setup again.',
  );
});

test.each([
  ['_', true],
  ['a-Z_9', true],
  ['9'.repeat(64), true],
  ['9'.repeat(65), false],
  ['a b', false],
  ['a\n', false],
  ['', false],
])('the id %j is named: %j', (identity, isNamed) => {
  const said = explainNothing([{ identity, name: null, why: 'no_token' }]);
  expect(said?.includes(` ${isNamed ? identity : 'One'}: you have`)).toBe(true);
});

test('five are named', () => {
  const said = explainNothing(
    Array.from({ length: 7 }, (_, id) => ({ identity: `id-${id}`, name: null, why: 'no_token' })),
  );
  expect(said?.match(/id-\d/g)).toEqual(['id-0', 'id-1', 'id-2', 'id-3', 'id-4']);
});
