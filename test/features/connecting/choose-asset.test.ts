import { describe, expect, test } from '@jest/globals';
import { chooseAsset, weighAssets } from '../../../src/features/connecting/choose-asset-rules.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { channelOf } from '../../rules/samples.ts';

describe('choosing the asset', () => {
  const own = channelOf('chatapp', { id: 'own-inactive', isActive: false });
  const lapsed = channelOf('chatapp', { id: 'own-lapsed', isActive: false });
  const broken = channelOf('chatapp', { id: 'own-broken' });
  const claims: Record<string, Channel | null> = {
    new: null,
    reserved: channelOf('chatapp', { connectedAt: null, isActive: false }),
    inactive: own,
    lapsed,
    active: channelOf('chatapp'),
    broken,
    new2: null,
    inactive2: channelOf('chatapp', { id: 'own-inactive-2', isActive: false }),
    foreign: channelOf('chatapp', { accountId: 'account-2', isActive: false }),
    foreignReserved: channelOf('chatapp', { accountId: 'account-2', isActive: false, connectedAt: null }),
  };

  function chosen(picked: string[], hasFreeSlot: boolean, reconnects: Channel | null = null): unknown {
    const result = chooseAsset({
      assets: picked.map((identity) => ({ channelType: 'chatapp' as const, identity })),
      findClaimant: ({ identity }) => claims[identity] ?? null,
      accountId: 'account-1',
      hasFreeSlot,
      isSlotOperable: (channel) => channel.id !== lapsed.id,
      isTokenRefused: (channel) => channel.id === broken.id,
      reconnects,
    });
    if ('refused' in result) return result.refused;
    if ('ask' in result) return ['ask', ...result.ask.map(({ asset }) => asset.identity)];
    const { asset, revive, slot } = result.chosen;
    return [asset.identity, revive?.id ?? null, slot];
  }

  test.each([
    ['a new identity takes a free slot', ['new'], true, ['new', null, 'free']],
    [
      'a genuinely new identity is preferred to an inactive one',
      ['inactive', 'new'],
      true,
      ['new', null, 'free'],
    ],
    [
      'a reservation that was never connected counts as new',
      ['inactive', 'reserved'],
      true,
      ['reserved', null, 'free'],
    ],
    [
      'without a free slot the inactive one comes back in its own',
      ['new', 'inactive'],
      false,
      ['inactive', own.id, 'held'],
    ],
    [
      'an inactive one without an operable slot takes a free one',
      ['lapsed'],
      true,
      ['lapsed', lapsed.id, 'free'],
    ],
    [
      'several new ones: the person chooses, and may take an inactive one',
      ['inactive', 'new', 'new2'],
      true,
      ['ask', 'new', 'new2', 'inactive'],
    ],
    [
      'none new and several inactive: the person chooses',
      ['inactive', 'inactive2'],
      true,
      ['ask', 'inactive', 'inactive2'],
    ],
    ['one that still has its slot stands first', ['lapsed', 'inactive'], true, ['ask', 'inactive', 'lapsed']],
    [
      'several new ones without a slot are none',
      ['new', 'new2', 'inactive'],
      false,
      ['inactive', own.id, 'held'],
    ],
    [
      'an active one whose token upstream has refused is reconnected',
      ['broken', 'active'],
      false,
      ['broken', broken.id, 'held'],
    ],
    ['but what is new comes before it', ['broken', 'new'], true, ['new', null, 'free']],
    ['the claim of another account is passed over', ['foreign', 'new'], true, ['new', null, 'free']],
    ['an active one is passed over', ['active', 'inactive'], false, ['inactive', own.id, 'held']],
    ['nothing picked', [], true, 'nothing_picked'],
    ['another account cannot claim the identity after deactivation', ['foreign'], true, 'claimed_elsewhere'],
    ['nor while a reservation holds it', ['foreignReserved'], true, 'claimed_elsewhere'],
    ['no slot for a new one', ['new', 'foreign'], false, 'no_free_slot'],
    ['no operable slot for an inactive one', ['lapsed', 'active'], false, 'no_free_slot'],
    ['everything is active already', ['active', 'foreign'], true, 'already_active'],
  ])('%s', (_rule, picked, hasFreeSlot, expected) => {
    expect(chosen(picked, hasFreeSlot)).toEqual(expected);
  });

  test('an asset that cannot be chosen is listed with the reason', () => {
    const weighed = weighAssets({
      assets: ['new', 'foreign', 'active', 'lapsed', 'inactive'].map((identity) => ({
        channelType: 'chatapp' as const,
        identity,
      })),
      findClaimant: ({ identity }) => claims[identity] ?? null,
      accountId: 'account-1',
      hasFreeSlot: false,
      isSlotOperable: (channel) => channel.id !== lapsed.id,
      isTokenRefused: () => false,
      reconnects: null,
    });
    expect(weighed.leftOut.map(({ asset, why }) => [asset.identity, why])).toEqual([
      ['new', 'no_free_slot'],
      ['foreign', 'claimed_elsewhere'],
      ['active', 'already_active'],
      ['lapsed', 'no_free_slot'],
    ]);
  });

  describe('reconnecting one channel', () => {
    const at = (identity: string, over: Partial<Channel> = {}): Channel =>
      channelOf('chatapp', { id: 'reconnects', identity, ...over });

    test.each<[string, string[], boolean, Channel, unknown]>([
      [
        'takes its own identity, whatever else was granted',
        ['new', 'x'],
        false,
        at('x'),
        ['x', 'reconnects', 'held'],
      ],
      ['also when it is inactive', ['x'], false, at('x', { isActive: false }), ['x', 'reconnects', 'held']],
      ['another identity is none of its', ['new'], true, at('x'), 'other_identity'],
      ['nothing granted', [], true, at('x'), 'nothing_picked'],
      [
        'without a licence it takes a free slot',
        ['x'],
        true,
        at('x', { id: lapsed.id }),
        ['x', lapsed.id, 'free'],
      ],
      ['and without one it can not', ['x'], false, at('x', { id: lapsed.id }), 'no_free_slot'],
    ])('%s', (_rule, picked, hasFreeSlot, channel, expected) => {
      expect(chosen(picked, hasFreeSlot, channel)).toEqual(expected);
    });
  });
});
