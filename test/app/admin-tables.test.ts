/** What `npm run admin` prints for people. [operator-interface §1] */
import { expect, test } from '@jest/globals';
import { writeTables } from '../../src/app/admin/tables.ts';

test('a list is a table, whose columns are as wide as what stands in them', () => {
  const nodes = [
    { node_id: 'n1', channels_owned: 3, draining: false, started_at: null },
    { node_id: 'node-22', channels_owned: 11, draining: true, started_at: '2026-11-22T12:00:00.000Z' },
  ];
  expect(writeTables({ nodes })).toBe(
    [
      'nodes:',
      'node_id  channels_owned  draining  started_at',
      'n1       3               false     -',
      'node-22  11              true      2026-11-22T12:00:00.000Z',
    ].join('\n'),
  );
});

test('single values stand below each other, above the lists', () => {
  const answer = {
    account_id: 'a',
    name: null,
    keys: [{ hint: 'mip_live_ab' }],
    channels: [],
    events: ['x', 'y'],
  };
  expect(writeTables(answer)).toBe(
    [
      'account_id  a',
      'name        -',
      'channels    -',
      'events      x, y',
      '',
      'keys:',
      'hint',
      'mip_live_ab',
    ].join('\n'),
  );
});

test('members of a member are named, and a long cell is cut off', () => {
  expect(writeTables({ entries: [{ after: { tier: 'pro', name: null }, shape: 'x'.repeat(99) }] })).toBe(
    ['entries:', `after            shape`, `tier=pro name=-  ${'x'.repeat(59)}…`].join('\n'),
  );
});

test('nothing that somebody chose to be called moves the cursor or begins a line', () => {
  expect(writeTables({ name: 'Ada\u001b[2J\nnodes: none\u202e' })).toBe('name  Ada [2J nodes: none ');
});
