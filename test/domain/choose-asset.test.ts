import { describe, expect, test } from '@jest/globals';
import { chooseAsset } from '../../src/domain/connecting/choose-asset.ts';
import type { Channel } from '../../src/domain/channels/channel.ts';
import { channelOf } from './samples.ts';

describe('choosing the asset', () => {
  const own = channelOf('chatapp', { id: 'own-inactive', isActive: false });
  const lapsed = channelOf('chatapp', { id: 'own-lapsed', isActive: false });
  const claims: Record<string, Channel | null> = {
    new: null,
    reserved: channelOf('chatapp', { connectedAt: null, isActive: false }),
    inactive: own,
    lapsed,
    active: channelOf('chatapp'),
    foreign: channelOf('chatapp', { accountId: 'account-2', isActive: false }),
    foreignReserved: channelOf('chatapp', { accountId: 'account-2', isActive: false, connectedAt: null }),
  };

  function chosen(picked: string[], hasFreeSlot: boolean): unknown {
    const result = chooseAsset({
      assets: picked.map((identity) => ({ channelType: 'chatapp' as const, identity })),
      claimOf: ({ identity }) => claims[identity] ?? null,
      accountId: 'account-1',
      hasFreeSlot,
      isSlotOperable: (channel) => channel.id === own.id,
    });
    return 'refused' in result
      ? result.refused
      : [result.asset.identity, result.revive?.id ?? null, result.slot];
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
    ['one that still has its slot comes first', ['lapsed', 'inactive'], true, ['inactive', own.id, 'held']],
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
});
