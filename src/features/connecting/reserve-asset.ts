import { sealContext } from '../../kernel/sealed.ts';
import type { SealedText } from '../../kernel/sealed.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelHealth } from '../../rules/channels/health.ts';
import type { UpstreamProblemCode } from '../../rules/channels/upstream-problems.ts';
import { chooseAsset } from './choose-asset-rules.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import { yieldToLoop } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { UpstreamAsset } from '../../upstream/connecting-calls.ts';
import { agreedNow } from '../../storage/agreed-time.ts';
import type { World } from '../world.ts';
import type { SetupOutcome } from './setup-outcome.ts';
import { newExchangeCode } from './secrets.ts';
import { freeSlot, readSlots, ownSlot } from './slots.ts';
import type { Grant, Reservation, ReserveResult } from '../../rules/channels/reservation.ts';
import type { SetupSession } from './entity.ts';

interface Choice {
  asset: UpstreamAsset;
  /** The account's channel to revive or reconnect; null: a new channel. */
  revive: Channel | null;
  slot: Subscription;
}

/** What a flow has learned so far. */
interface Learned {
  /** Licences whose slot another flow holds. */
  taken: Set<string>;
  /** Channels whose token upstream refuses; null: not asked yet. */
  refused: ReadonlySet<string> | null;
}

/** `setup-url` does not check this case, because picking the same identity again replaces that code. */
const held: SetupOutcome = {
  refused: 'no_free_slot',
  says: 'The free slot is held by a connection whose code is not exchanged yet; exchange it, or start again when it has expired.',
};

function isHeld(outcome: SetupOutcome, taken: ReadonlySet<string>): boolean {
  return taken.size > 0 && 'refused' in outcome && outcome.refused === 'no_free_slot';
}

/**
 * Reserves identity, slot and code for the asset to connect, in one store operation. After a lost race it chooses again: without the
 * slots that are taken, or with the new holder of the identity. [architecture §3c; faults: 78-80]
 */
export async function reserveAsset(
  world: World,
  session: SetupSession,
  assets: readonly UpstreamAsset[],
): Promise<SetupOutcome> {
  // An unexchanged reservation holds identity and slot only while its code is valid.
  await world.stores.channels.dropExpiredReservations(await agreedNow(world));
  const learned: Learned = { taken: new Set(), refused: null };
  const first = await tryReserve(world, session, assets, learned);
  if (typeof first !== 'string') return first;
  // The losers of an account go on one by one: together they would choose the same next slot, and all but one lose again. [faults: 208]
  return world.slotQueues.run(session.accountId, async () => {
    for (const id of await slotsOfOthers(world, session, assets)) learned.taken.add(id);
    for (let identityRaces = Number(first === 'identity_taken'); identityRaces < 2;) {
      const next = await tryReserve(world, session, assets, learned);
      if (typeof next !== 'string') return next;
      if (next === 'identity_taken') identityRaces += 1;
    }
    return { refused: 'temporarily_unavailable' };
  });
}

/** One choice and one store operation. */
async function tryReserve(
  world: World,
  session: SetupSession,
  assets: readonly UpstreamAsset[],
  learned: Learned,
): Promise<SetupOutcome | Exclude<ReserveResult, 'reserved'>> {
  const choice = await choose(world, session, assets, learned);
  if (!('slot' in choice)) return isHeld(choice, learned.taken) ? held : choice;
  const expiresAt = world.clock.now() + world.settings.exchangeCodeTtlMs;
  const { code, hash } = newExchangeCode(expiresAt);
  const reservation = newReservation(world, session, choice, { hash, expiresAt });
  const result = await world.stores.channels.reserve(reservation, world.clock.now());
  if (result === 'slot_taken') learned.taken.add(choice.slot.id);
  return result === 'reserved' ? { code } : result;
}

/** The slots that unexchanged codes hold, except for codes of these assets, which a new one replaces. */
async function slotsOfOthers(
  world: World,
  { accountId, channelType }: SetupSession,
  assets: readonly UpstreamAsset[],
): Promise<string[]> {
  const reserved = await world.stores.channels.reservedSlots(accountId, world.clock.now());
  const own = new Set(assets.map(({ identity }) => identity));
  return reserved.flatMap((slot) =>
    slot.channelType === channelType && !own.has(slot.identity) ? [slot.subscriptionId] : [],
  );
}

async function choose(
  world: World,
  session: SetupSession,
  assets: readonly UpstreamAsset[],
  learned: Learned,
): Promise<Choice | Exclude<SetupOutcome, { code: string }>> {
  const [claims, opened] = await Promise.all([claimsOn(world, assets), readSlots(world, session)]);
  const refused = (learned.refused ??= await refusedTokens(world, session, [...claims.values()]));
  const book = { ...opened, taken: learned.taken };
  const reconnects = book.channels.find(({ id }) => id === session.channelId) ?? null;
  if (session.channelId !== null && reconnects === null) return { refused: 'server_error' };
  const decision = chooseAsset({
    assets: assets.filter((asset) => asset.channelType === session.channelType),
    findClaimant: (asset) => claims.get(asset) ?? null,
    accountId: session.accountId,
    hasFreeSlot: freeSlot(book) !== null,
    isSlotOperable: (channel) => ownSlot(book, channel) !== null,
    isTokenRefused: (channel) => refused.has(channel.id),
    reconnects,
  });
  if ('refused' in decision) return decision;
  if ('ask' in decision) {
    const offered = decision.ask.map(({ asset }) => ({ ...asset, isOffered: true }));
    return { ask: [...offered, ...decision.leftOut.map(({ asset }) => ({ ...asset, isOffered: false }))] };
  }
  const { asset, revive, slot: from } = decision.chosen;
  const slot = revive !== null && from === 'held' ? ownSlot(book, revive) : freeSlot(book);
  return slot === null ? { refused: 'no_free_slot' } : { asset, revive, slot };
}

/** A person may grant thousands of pages, and may load the page that asks for one as often as they like. [faults: I9, 208] */
const lookedUpAtOnce = 50;

/** The channel that holds each asset's identity, of whatever account; an asset without an entry is free. */
export async function claimsOn(
  world: World,
  assets: readonly UpstreamAsset[],
): Promise<Map<UpstreamAsset, Channel>> {
  const claims = new Map<UpstreamAsset, Channel>();
  const lookUp = async (asset: UpstreamAsset): Promise<void> => {
    const holder = await world.stores.channels.findClaimant(asset.channelType, asset.identity);
    if (holder !== null) claims.set(asset, holder);
  };
  for (let from = 0; from < assets.length; from += lookedUpAtOnce) {
    if (from > 0) await yieldToLoop();
    await Promise.all(assets.slice(from, from + lookedUpAtOnce).map(lookUp));
  }
  return claims;
}

function newReservation(
  world: World,
  session: SetupSession,
  { asset, revive, slot }: Choice,
  code: { hash: string; expiresAt: number },
): Reservation {
  const channelId = revive?.id ?? newId();
  const token = world.sealer.sealText(asset.token, sealContext.token(channelId));
  return {
    channelId,
    accountId: session.accountId,
    apiKeyId: session.apiKeyId,
    channelType: asset.channelType,
    identity: asset.identity,
    subscriptionId: slot.id,
    codeHash: code.hash,
    codeExpiresAt: code.expiresAt,
    createdAt: world.clock.now(),
    grant: toGrant(asset, token),
    isReconnect: revive?.isActive === true,
  };
}

function toGrant({ channelType, name, profile }: UpstreamAsset, token: SealedText): Grant {
  return { name, profile, subscribedAsset: kindOf(channelType).subscribedAsset(profile), token };
}

/** Further active channels of a flow are not checked. */
const maxAsked = 20;

/** Problems that connecting again ends. */
const endedByConnecting: readonly UpstreamProblemCode[] = ['access_removed', 'token_ending'];

async function lostChannels({ stores }: World, channels: readonly Channel[]): Promise<Set<string>> {
  const known = channels.length === 0 ? [] : await stores.health.ofAll(channels.map(({ id }) => id));
  const isLost = ({ problems }: ChannelHealth): boolean =>
    problems?.some(({ code }) => endedByConnecting.includes(code)) === true;
  return new Set(known.filter(isLost).map(({ channelId }) => channelId));
}

/** Ids of the account's active channels whose token upstream refuses. [operator-interface §4: reconnecting] */
export async function refusedTokens(
  world: World,
  { accountId }: { accountId: string },
  channels: readonly Channel[],
): Promise<Set<string>> {
  const active = channels.filter((channel) => channel.isActive && channel.accountId === accountId);
  const refused = await lostChannels(world, active);
  const questions = active.slice(0, maxAsked).map(async (channel) => {
    if (await world.upstream.isTokenRefused(channel)) refused.add(channel.id);
  });
  await Promise.all(questions);
  return refused;
}
