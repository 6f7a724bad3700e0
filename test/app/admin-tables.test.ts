/** The output of `npm run admin` for people. [operator-interface §1] */
import { expect, test } from '@jest/globals';
import { writeTables } from '../../src/app/admin/tables.ts';

test('a list is a table with columns as wide as their contents', () => {
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

test('single values are listed one per line, above the lists', () => {
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

test('members of a member have both names, and a long cell is cut off', () => {
  expect(writeTables({ entries: [{ after: { tier: 'pro', name: null }, shape: 'x'.repeat(99) }] })).toBe(
    ['entries:', `after            shape`, `tier=pro name=-  ${'x'.repeat(59)}…`].join('\n'),
  );
});

test('no name can move the cursor or start a line', () => {
  expect(writeTables({ name: 'Ada\u001b[2J\nnodes: none\u202e' })).toBe('name  Ada [2J nodes: none ');
});
