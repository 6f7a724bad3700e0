/** [upstream §4.1; faults: 94] The names of senders. */
import { expect, test } from '@jest/globals';
import { Names } from '../../src/upstream/chatapp/names.ts';

const contacts = [
  { wa_id: '+4915900000777', user_id: 'DE.1', profile: { name: 'Mia' } },
  { wa_id: '4915900000777', profile: { name: 'Somebody later' } },
  { user_id: 'DE.2', profile: { name: 'Ben' } },
  'not a contact',
  { wa_id: '4915900000779', profile: {} },
];

test.each([
  ['4915900000777', null, 'Mia'],
  ['4915900000778', 'DE.1', 'Mia'],
  ['DE.2', 'DE.2', 'Ben'],
  ['DE.2', null, 'Ben'],
  ['4915900000777', 'DE.2', 'Mia'],
  ['4915900000779', null, null],
  ['4915900000780', null, null],
])('the name of sender %s (user id %s) is %s', (from, userId, name) => {
  expect(new Names(contacts).of(from, userId)?.name ?? null).toBe(name);
});

test.each([[undefined], [null], ['Mia'], [{ wa_id: '1' }]])(
  '%j is not a list of contacts and gives no name',
  (given) => {
    expect(new Names(given).of('1', null)).toBeNull();
  },
);

test('of a name of a megabyte, which each of ten thousand events would repeat, the beginning is kept', () => {
  const long = [{ wa_id: '1', profile: { name: `${'n'.repeat(511)}🧭${'n'.repeat(1_000_000)}` } }];
  expect(new Names(long).of('1', null)?.name).toBe(`${'n'.repeat(511)}\uFFFD`);
  const fits = [{ wa_id: '1', profile: { name: 'n'.repeat(512) } }];
  expect(new Names(fits).of('1', null)?.name).toBe('n'.repeat(512));
});

test('the contacts are read once for ten thousand messages', () => {
  let reads = 0;
  const many = Array.from({ length: 1_000 }, (_, n) => ({
    get wa_id() {
      reads += 1;
      return String(n);
    },
    profile: { name: `Person ${n}` },
  }));
  const names = new Names(many);
  for (let n = 0; n < 10_000; n += 1) names.of(String(n % 1_100), null);
  expect([names.of('999', null)?.name, reads]).toEqual(['Person 999', 1_000]);
});
