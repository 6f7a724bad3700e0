import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';

/** The assets that a person granted in the upstream dialog, and the state that decides between them. */
interface Choice<A> {
  /** In upstream's order. */
  assets: readonly A[];
  /** The channel that holds the identity: of any account, connected or only reserved. */
  findClaimant: (asset: A) => Channel | null;
  accountId: string;
  hasFreeSlot: boolean;
  /** Whether the channel's licence is operable. */
  isSlotOperable: (channel: Channel) => boolean;
  /** Whether upstream refuses the token of this active channel. */
  isTokenRefused: (channel: Channel) => boolean;
  /** The one channel that may be reconnected; null: any granted asset may be connected. */
  reconnects: Channel | null;
}

/**
 * `revive`: the existing channel that gets this grant, or null for a new one. `slot`: `held` if the channel keeps its own, `free` if
 * one must be chosen.
 */
type Chosen<A> = { asset: A; revive: Channel | null; slot: 'held' | 'free' };

type ChoiceRefused =
  | 'nothing_picked'
  | 'claimed_elsewhere'
  | 'no_free_slot'
  | 'already_active'
  | 'other_identity';

/** A granted asset that can't be connected now. */
interface LeftOut<A> {
  asset: A;
  why: Exclude<ChoiceRefused, 'nothing_picked' | 'other_identity'>;
}

/** `ask`: the person must choose; best guess first. */
type Decision<A> =
  | { chosen: Chosen<A> }
  | { ask: Chosen<A>[]; leftOut: LeftOut<A>[] }
  | { refused: ChoiceRefused };

type Standing = { is: 'new' | 'claimed_elsewhere' } | { is: 'inactive' | 'active'; channel: Channel };

interface Picked<A> {
  asset: A;
  standing: Standing;
}

/**
 * Decides which granted asset is connected. A new identity with a free slot comes before an inactive channel that can be revived; the
 * person chooses between several. An active channel is a candidate only if upstream refuses its token.
 * [spec: Channel activity; operator-interface §4: which asset a setup flow connects]
 */
export function chooseAsset<A extends { channelType: ChannelType; identity: string }>(
  choice: Choice<A>,
): Decision<A> {
  if (choice.reconnects !== null) return reconnected(choice, choice.reconnects);
  const { ranked, leftOut } = weighAssets(choice);
  const [first] = ranked;
  if (first === undefined) return { refused: explainRefusal(leftOut.map(({ why }) => why)) };
  const [only, ...more] = first;
  return only !== undefined && more.length === 0 ? { chosen: only } : { ask: ranked.flat(), leftOut };
}

/** The assets that can be connected, in groups of falling preference, and those that can't. */
export function weighAssets<A extends { channelType: ChannelType; identity: string }>(
  choice: Choice<A>,
): { ranked: Chosen<A>[][]; leftOut: LeftOut<A>[] } {
  const picked = choice.assets.map((asset) => ({
    asset,
    standing: judgeStanding(choice, choice.findClaimant(asset)),
  }));
  const fresh = picked.flatMap(({ asset, standing }): Chosen<A>[] =>
    standing.is === 'new' && choice.hasFreeSlot ? [{ asset, revive: null, slot: 'free' }] : [],
  );
  const returning = findReturning(picked, choice, 'inactive');
  const withRefusedToken = findReturning(picked, choice, 'active').filter(
    ({ revive }) => revive !== null && choice.isTokenRefused(revive),
  );
  const ranked = [fresh, returning, withRefusedToken].filter((candidates) => candidates.length > 0);
  const connectable = new Set(ranked.flat().map(({ asset }) => asset));
  const leftOut = picked.flatMap(({ asset, standing }) =>
    connectable.has(asset) ? [] : [{ asset, why: whyNot[standing.is] }],
  );
  return { ranked, leftOut };
}

const whyNot = {
  new: 'no_free_slot',
  inactive: 'no_free_slot',
  active: 'already_active',
  claimed_elsewhere: 'claimed_elsewhere',
} as const;

function judgeStanding<A>({ accountId, isSlotOperable }: Choice<A>, claim: Channel | null): Standing {
  if (claim === null) return { is: 'new' };
  if (claim.accountId !== accountId) return { is: 'claimed_elsewhere' };
  // Only reserved, by a flow without an exchanged code: no client has seen such a channel.
  if (claim.connectedAt === null) return { is: 'new' };
  // [operator-interface §4] A channel without an operable licence is revived like an inactive one.
  return { is: claim.isActive && isSlotOperable(claim) ? 'active' : 'inactive', channel: claim };
}

/** [operator-interface §4: reconnecting] Exactly that channel, active or not; needs no free slot while its own licence is operable. */
function reconnected<A extends { identity: string }>(choice: Choice<A>, channel: Channel): Decision<A> {
  const asset = choice.assets.find(({ identity }) => identity === channel.identity);
  if (asset === undefined)
    return { refused: choice.assets.length === 0 ? 'nothing_picked' : 'other_identity' };
  const chosen = asRevived(asset, channel, choice);
  return chosen === null ? { refused: 'no_free_slot' } : { chosen };
}

/** Channels that still have their slot come first. */
function findReturning<A>(
  picked: readonly Picked<A>[],
  choice: Choice<A>,
  activity: 'active' | 'inactive',
): Chosen<A>[] {
  const candidates = picked.flatMap(({ asset, standing }) => {
    const chosen = standing.is === activity ? asRevived(asset, standing.channel, choice) : null;
    return chosen === null ? [] : [chosen];
  });
  const held = candidates.filter(({ slot }) => slot === 'held');
  return [...held, ...candidates.filter(({ slot }) => slot === 'free')];
}

/**
 * A channel whose licence has ended may take a free slot instead: otherwise a renewed account could never reconnect its own
 * number.
 */
function asRevived<A>(asset: A, revive: Channel, choice: Choice<A>): Chosen<A> | null {
  if (choice.isSlotOperable(revive)) return { asset, revive, slot: 'held' };
  return choice.hasFreeSlot ? { asset, revive, slot: 'free' } : null;
}

/** Prefers the reasons that the account itself can resolve. */
function explainRefusal(reasons: readonly LeftOut<unknown>['why'][]): ChoiceRefused {
  const first = (['no_free_slot', 'already_active', 'claimed_elsewhere'] as const).find((each) =>
    reasons.includes(each),
  );
  return first ?? 'nothing_picked';
}
