/**
 * A reservation holds the identity and slot of one channel until its code is exchanged or expires. Every step is one write to one document;
 * unique indexes decide between rivals, and the version between a reader and a writer. [faults: 77-80]
 */
import type { ChannelHoldings } from '../../channel-holdings.ts';
import { isPaused } from '../../../rules/channels/channel.ts';
import { batchPerKey } from '../../../kernel/batches.ts';
import { StoreUnavailable } from '../../../kernel/faults.ts';
import type { MongoContext } from '../collections.ts';
import { newToken } from '../commands.ts';
import { toChannel, toReservedPart } from '../documents.ts';
import type { ChannelDocument, ReservedPart } from '../documents.ts';
import { DuplicateKey, classify } from '../errors.ts';
import { changingHoldings, claimOn, listClaimsAndSlots, slotOn } from './claims-and-slots.ts';
import type {
  CodeOfAccount,
  Reservation,
  ReserveResult,
  ReservedSlot,
} from '../../../rules/channels/reservation.ts';
import { isOpenTo } from '../../../rules/channels/reservation.ts';

type Part =
  | 'reserve'
  | 'reservedBy'
  | 'reservedSlots'
  | 'isReservedOn'
  | 'exchange'
  | 'dropExpiredReservations';

export function reservations(context: MongoContext): Pick<ChannelHoldings, Part> {
  /** Concurrent reservations of an identity run one by one on this node: together they would replace each other over and over. [faults: 208] */
  const reserveInTurn = batchPerKey<Reservation, ReserveResult>(async (_claim, waiting) => {
    const results: ReserveResult[] = [];
    for (const reservation of waiting) results.push(await reserveOne(context, reservation));
    return results;
  });
  return {
    async reserve(reservation, now) {
      await dropExpired(context, now);
      return reserveInTurn(claimOn(reservation.channelType, reservation.identity), reservation);
    },
    async reservedBy(code, now) {
      const found = await findByCode(context, code, now);
      if (found === null) return null;
      const { identity, subscriptionId, grant } = found.reserved;
      return { ...toChannel(found.channel), ...grant, identity, subscriptionId };
    },
    reservedSlots: (accountId, now) => reservedSlots(context, accountId, now),
    isReservedOn: (asset, now) => isReservedOn(context, asset, now),
    exchange: exchangeOn(context),
    dropExpiredReservations: (now) => dropExpired(context, now),
  };
}

async function reservedSlots(
  { channels, retryPolicy }: MongoContext,
  accountId: string,
  now: number,
): Promise<ReservedSlot[]> {
  const found = await retryPolicy.run('list reserved slots', () =>
    channels.find({ 'reservation.codeExpiresAt': { $gt: now }, accountId }).toArray(),
  );
  return found.flatMap((channel) => {
    const { channelType } = channel;
    const reserved = toReservedPart(channel);
    if (reserved === undefined) return [];
    return [{ subscriptionId: reserved.subscriptionId, channelType, identity: reserved.identity }];
  });
}

async function isReservedOn(
  { channels, retryPolicy }: MongoContext,
  asset: string,
  now: number,
): Promise<boolean> {
  const isValid = { 'reservation.codeExpiresAt': { $gt: now } };
  const found = await retryPolicy.run('find codes of an asset', () =>
    channels.findOne({ ...isValid, 'reservation.grant.subscribedAsset': asset }),
  );
  return found !== null;
}

/** The next attempt sees the rival of another node that was faster; this many failures in a row are no race but a fault. */
const maxTries = 100;

async function reserveOne(context: MongoContext, reservation: Reservation): Promise<ReserveResult> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const result = await tryReserve(context, reservation);
    if (result !== 'again') return result;
  }
  throw new StoreUnavailable('too many reservations race', 'no');
}

/** One attempt: reads, then writes. Returns `again` if something changed in between. */
async function tryReserve(context: MongoContext, r: Reservation): Promise<ReserveResult | 'again'> {
  const { channels, retryPolicy } = context;
  const known = await findPredecessors(context, r);
  if (!known.every((holder) => isOpenTo(r, toChannel(holder)))) return 'identity_taken';
  const own = [r.channelId, ...known.map(({ _id }) => _id)];
  // Not one that took the identity meanwhile: the next attempt replaces it, or not.
  const claims = { $ne: claimOn(r.channelType, r.identity) };
  const rival = await retryPolicy.run('read slots', () =>
    channels.findOne({ slots: slotOn(r.channelType, r.subscriptionId), claims, _id: { $nin: own } }),
  );
  if (rival !== null) return 'slot_taken';

  const revived = known.find(({ _id, connectedAt }) => _id === r.channelId && connectedAt !== undefined);
  for (const predecessor of known) {
    if (predecessor !== revived && !(await isRemoved(context, predecessor))) return 'again';
  }
  try {
    const isReserved =
      revived === undefined ? await isAdded(context, r) : await isRevived(context, r, revived);
    return isReserved ? 'reserved' : 'again';
  } catch (error) {
    // A rival was faster: the next attempt reads who it was and decides. The same code for two reservations is a bug.
    if (error instanceof DuplicateKey && error.index !== 'code') return 'again';
    throw error;
  }
}

/** The channels with the identity or the id. */
async function findPredecessors(
  { channels, retryPolicy }: MongoContext,
  r: Reservation,
): Promise<ChannelDocument[]> {
  const claim = claimOn(r.channelType, r.identity);
  const [named, holder] = await retryPolicy.run('read claims', () =>
    Promise.all([channels.findOne({ _id: r.channelId }), channels.findOne({ claims: claim })]),
  );
  const both = [named, holder].flatMap((each) => each ?? []);
  return both.filter(({ _id }, at) => at === 0 || _id !== both[0]?._id);
}

async function isRemoved(
  { channels, retryPolicy }: MongoContext,
  { _id, version }: ChannelDocument,
): Promise<boolean> {
  const { deletedCount } = await retryPolicy.run('drop a reservation', () =>
    channels.deleteOne({ _id, version, connectedAt: { $exists: false } }),
  );
  return deletedCount === 1;
}

function reservedPart({ codeHash, codeExpiresAt, apiKeyId, identity, subscriptionId, grant }: Reservation) {
  return { codeHash, codeExpiresAt, apiKeyId, identity, subscriptionId, grant };
}

/** A new channel holds claim and slot as its own from the start. */
async function isAdded({ channels, retryPolicy }: MongoContext, r: Reservation): Promise<boolean> {
  const { channelId: _id, accountId, channelType, identity, subscriptionId, createdAt } = r;
  const flags = { isActive: false, echoStatuses: false, hasEndpoints: false };
  const held = { identity, subscriptionId, ...listClaimsAndSlots({ channelType, identity, subscriptionId }) };
  const reservation = reservedPart(r);
  const document = { _id, accountId, channelType, ...flags, createdAt, ...held, reservation, version: 1 };
  return retryPolicy.run('insert a reservation', async (attempt) => {
    try {
      await channels.insertOne(document);
      return true;
    } catch (error) {
      if (attempt === 0 || classify(error) !== 'duplicate') throw error;
      // An earlier attempt, whose answer was lost, inserted it.
      const own = await channels.findOne({ _id, 'reservation.codeHash': r.codeHash });
      if (own === null) throw error;
      return true;
    }
  });
}

/** A connected channel keeps its own fields and holds the reserved identity and slot beside its own. */
async function isRevived(
  { channels, retryPolicy }: MongoContext,
  r: Reservation,
  { _id, version, isActive, channelType, identity, subscriptionId }: ChannelDocument,
): Promise<boolean> {
  const reservation = reservedPart(r);
  const fields = {
    reservation,
    ...listClaimsAndSlots({ channelType, identity, subscriptionId, reservation }),
  };
  const { matchedCount } = await retryPolicy.run('set a reservation', () =>
    channels.updateOne({ _id, version, isActive }, changingHoldings(fields)),
  );
  return matchedCount === 1;
}

const byCode = ({ hash, accountId }: CodeOfAccount, now: number) => ({
  'reservation.codeHash': hash,
  'reservation.codeExpiresAt': { $gt: now },
  accountId,
});

async function findByCode(
  { channels, retryPolicy }: MongoContext,
  code: CodeOfAccount,
  now: number,
): Promise<{ channel: ChannelDocument; reserved: ReservedPart } | null> {
  const channel = await retryPolicy.run('find a code', () => channels.findOne(byCode(code, now)));
  const reserved = channel === null ? undefined : toReservedPart(channel);
  return channel === null || reserved === undefined ? null : { channel, reserved };
}

/**
 * Finds the code, computes the settings from the channel, and connects by one findOneAndUpdate on the code's hash, the version and the secret: of
 * concurrent calls only one finds the code there. A retry recognises its own success by the mark. [faults: I12, 22, 492]
 */
function exchangeOn(context: MongoContext): ChannelHoldings['exchange'] {
  const { channels, retryPolicy } = context;
  return async function exchange(code, now, settings) {
    for (;;) {
      const found = await findByCode(context, code, now);
      if (found === null) return null;
      const { channel, reserved } = found;
      const { _id, version } = channel;
      const webhookSecret = channel.webhookSecret ?? { $exists: false };
      const mark = newToken();
      const before = toChannel(channel);
      const { sendsPausedAt } = before;
      const resumed = isPaused(before) ? { sendsResumedAt: Math.max(sendsPausedAt ?? 0, now) } : {};
      const change = connecting(channel, reserved, now, { ...settings(before), ...resumed, exchange: mark });
      const connected = await retryPolicy.run('exchange a code', async (attempt) => {
        const which = { ...byCode(code, now), version, webhookSecret };
        const won = await channels.findOneAndUpdate(which, change, { returnDocument: 'after' });
        if (won !== null || attempt === 0) return won;
        return channels.findOne({ _id, exchange: mark });
      });
      if (connected !== null) return toChannel(connected);
      // Another caller has exchanged it, or the channel was bound to another slot or got another secret since it was read.
    }
  };
}

function connecting(
  { channelType }: ChannelDocument,
  { identity, subscriptionId, grant }: ReservedPart,
  now: number,
  more: Record<string, unknown>,
) {
  return changingHoldings({
    ...grant,
    identity,
    subscriptionId,
    isActive: true,
    connectedAt: now,
    reservation: null,
    ...listClaimsAndSlots({ channelType, identity, subscriptionId }),
    ...more,
  });
}

/** A channel that was never connected is deleted, with its claim and slot; a channel to be revived loses only the reservation. */
async function dropExpired(context: MongoContext, now: number): Promise<number> {
  const { channels, retryPolicy } = context;
  const expired = await retryPolicy.run('find expired codes', () =>
    channels.find({ 'reservation.codeExpiresAt': { $lte: now } }).toArray(),
  );
  const dropped = await Promise.all(
    expired.map((found) =>
      found.connectedAt === undefined ? isRemoved(context, found) : isFreed(context, found),
    ),
  );
  return dropped.filter(Boolean).length;
}

async function isFreed({ channels, retryPolicy }: MongoContext, found: ChannelDocument): Promise<boolean> {
  const { _id, version, channelType, identity, subscriptionId } = found;
  const fields = { reservation: null, ...listClaimsAndSlots({ channelType, identity, subscriptionId }) };
  const { matchedCount } = await retryPolicy.run('drop a reservation', () =>
    channels.updateOne({ _id, version }, changingHoldings(fields)),
  );
  return matchedCount === 1;
}
