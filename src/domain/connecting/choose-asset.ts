import type { Channel } from '../channels/channel.ts';
import type { ChannelType } from '../vocabulary.ts';

/** What a person picked in the upstream dialog, and what is known about it. */
export interface Choice<A> {
  /** In upstream's order. */
  assets: readonly A[];
  /** Whoever holds the identity: a channel of any account, connected or only reserved. */
  claimOf: (asset: A) => Channel | null;
  accountId: string;
  hasFreeSlot: boolean;
  /** Whether the licence that an inactive channel is bound to can carry it. */
  isSlotOperable: (channel: Channel) => boolean;
}

/**
 * `revive`: the inactive channel that becomes active again, or null for a new one. `slot`: `held` when the revived channel
 * keeps its own, `free` when one must be chosen.
 */
export type Chosen<A> = { asset: A; revive: Channel | null; slot: 'held' | 'free' };

export type ChoiceRefused = 'nothing_picked' | 'claimed_elsewhere' | 'no_free_slot' | 'already_active';

type Standing =
  { is: 'new' } | { is: 'inactive'; channel: Channel } | { is: 'active' } | { is: 'claimed_elsewhere' };

/**
 * Which picked asset becomes a channel: a genuinely new identity before an inactive channel of the account, each needing a
 * slot. Among equals upstream's order decides. [spec: Channel activity]
 */
export function chooseAsset<A extends { channelType: ChannelType; identity: string }>(
  choice: Choice<A>,
): Chosen<A> | { refused: ChoiceRefused } {
  const picked = choice.assets.map((asset) => ({
    asset,
    standing: standingOf(choice.claimOf(asset), choice.accountId),
  }));
  const fresh = picked.find(({ standing }) => standing.is === 'new');
  if (fresh !== undefined && choice.hasFreeSlot) return { asset: fresh.asset, revive: null, slot: 'free' };
  return revived(picked, choice) ?? { refused: refusalOf(picked.map(({ standing }) => standing.is)) };
}

function standingOf(claim: Channel | null, accountId: string): Standing {
  if (claim === null) return { is: 'new' };
  if (claim.accountId !== accountId) return { is: 'claimed_elsewhere' };
  // Reserved by a flow that was never finished: nobody has seen such a channel.
  if (claim.connectedAt === null) return { is: 'new' };
  return claim.isActive ? { is: 'active' } : { is: 'inactive', channel: claim };
}

/**
 * A channel that still has its slot comes first. One whose licence has ended may take a free slot instead: otherwise a renewed
 * account could never reach its own number again.
 */
function revived<A>(
  picked: readonly { asset: A; standing: Standing }[],
  choice: Choice<A>,
): Chosen<A> | null {
  const inactive = picked.flatMap(({ asset, standing }) =>
    standing.is === 'inactive' ? [{ asset, revive: standing.channel }] : [],
  );
  const held = inactive.find(({ revive }) => choice.isSlotOperable(revive));
  if (held !== undefined) return { ...held, slot: 'held' };
  const [first] = inactive;
  return first !== undefined && choice.hasFreeSlot ? { ...first, slot: 'free' } : null;
}

/** What the account itself could change comes first. */
function refusalOf(standings: readonly Standing['is'][]): ChoiceRefused {
  if (standings.length === 0) return 'nothing_picked';
  if (standings.includes('new') || standings.includes('inactive')) return 'no_free_slot';
  return standings.includes('active') ? 'already_active' : 'claimed_elsewhere';
}
