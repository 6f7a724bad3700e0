/**
 * Ownership of identities and slots. Not over records: a document has held and reserved ones in one list under one unique index, and a
 * version for compare-and-set.
 */
import type { Channel } from '../../../rules/channels/channel.ts';
import type { MongoContext } from '../collections.ts';
import { toChannel, toReservedPart } from '../documents.ts';
import type { ChannelDocument } from '../documents.ts';
import { newToken } from '../commands.ts';
import { DuplicateKey } from '../errors.ts';
import { changingHoldings, claimOn, listClaimsAndSlots } from './claims-and-slots.ts';
import { reservations } from './reservations.ts';
import type { Bound, ChangedChannel, ChannelHoldings } from '../../channel-holdings.ts';
import { whyNotBound } from '../../../rules/channels/binding.ts';
import type { BindRefusal, SeenBinding } from '../../../rules/channels/binding.ts';

const isConnected = { connectedAt: { $exists: true } };

function toChannelOrNull(found: ChannelDocument | null): Channel | null {
  return found === null ? null : toChannel(found);
}

export function channelHoldings(context: MongoContext): ChannelHoldings {
  return {
    ...makeFindHolders(context),
    ...changes(context),
    ...reservations(context),
  };
}

function makeFindHolders({
  channels,
  retryPolicy,
}: MongoContext): Pick<ChannelHoldings, 'byIdentity' | 'findClaimant'> {
  return {
    async byIdentity(channelType, identities) {
      const claims = identities.map((identity) => claimOn(channelType, identity));
      const found = await retryPolicy.run('find channels', () =>
        channels
          .find({ claims: { $in: claims }, channelType, identity: { $in: [...identities] }, ...isConnected })
          .toArray(),
      );
      return found.map(toChannel);
    },
    async findClaimant(channelType, identity) {
      const claims = claimOn(channelType, identity);
      return toChannelOrNull(await retryPolicy.run('read a channel', () => channels.findOne({ claims })));
    },
  };
}

type Changes = 'deactivate' | 'releaseClaim' | 'bind';

function changes(context: MongoContext): Pick<ChannelHoldings, Changes> {
  return {
    deactivate: (channelId, accountId) =>
      changeChannel(context, channelId, (before) =>
        before.accountId === accountId ? { isActive: false } : null,
      ),
    releaseClaim(channelId) {
      // Also ends a reservation that would revive the channel with the freed identity.
      const nothing = { identity: null, subscriptionId: null, reservation: null };
      return changeChannel(context, channelId, ({ channelType, isActive }) =>
        isActive ? null : { ...nothing, ...listClaimsAndSlots({ channelType }) },
      );
    },
    bind: (channelId, subscriptionId, seen = {}) => bindTo(context, channelId, subscriptionId, seen),
  };
}

async function bindTo(
  context: MongoContext,
  channelId: string,
  subscriptionId: string | null,
  seen: SeenBinding,
): Promise<Bound> {
  const { subscriptions, retryPolicy } = context;
  const channel = await findConnected(context, channelId);
  if (channel === null) return 'absent';
  const { accountId } = channel;
  const licence =
    subscriptionId === null
      ? null
      : await retryPolicy.run('read a licence', () =>
          subscriptions.findOne({ _id: subscriptionId, accountId }),
        );
  if (subscriptionId !== null && licence === null) return 'absent';
  let refusal: 'absent' | BindRefusal = 'absent';
  try {
    const changed = await changeChannel(context, channelId, (before) => {
      const why = whyNotBound(toChannel(before), subscriptionId, seen);
      if (why !== null) {
        refusal = why;
        return null;
      }
      const { channelType, identity } = before;
      const reserved = toReservedPart(before);
      // A code that would reconnect the channel does so in this slot, not in the one that the channel had at the time of its code.
      const reservation = reserved && subscriptionId !== null ? { ...reserved, subscriptionId } : reserved;
      return {
        subscriptionId,
        reservation,
        ...listClaimsAndSlots({ channelType, identity, subscriptionId, reservation }),
      };
    });
    return changed ?? refusal;
  } catch (error) {
    if (error instanceof DuplicateKey && error.index === 'slots') return 'slot_taken';
    throw error;
  }
}

/**
 * Reads a connected channel and changes its holdings by compare-and-set, and starts again if they changed in between. Returns the channel
 * before and after this very write: they differ in the fields that it changed. A retry whose earlier answer was lost finds its mark. Throws
 * DuplicateKey if a unique index rejects it.
 */
async function changeChannel(
  context: MongoContext,
  channelId: string,
  change: (before: ChannelDocument) => Record<string, unknown> | null,
): Promise<ChangedChannel | null> {
  for (;;) {
    const before = await findConnected(context, channelId);
    const fields = before === null ? null : change(before);
    if (before === null || fields === null) return null;
    const after = await changeHoldings(context, before, fields);
    if (after !== null) return { before: { ...after, ...own(toChannel(before)) }, after };
  }
}

/** What holdings are to a client; other fields may have changed since the document was read. */
const own = ({ isActive, identity, subscriptionId }: Channel) => ({ isActive, identity, subscriptionId });

/** null: the holdings have changed since. */
function changeHoldings(
  { channels, retryPolicy }: MongoContext,
  { _id, version }: ChannelDocument,
  fields: Record<string, unknown>,
): Promise<Channel | null> {
  const mark = { lastWrite: newToken() };
  const update = changingHoldings({ ...fields, ...mark });
  return retryPolicy.run('change a channel', async (attempt) => {
    const changed = await channels.findOneAndUpdate({ _id, version }, update, { returnDocument: 'after' });
    if (changed !== null || attempt === 0) return toChannelOrNull(changed);
    return toChannelOrNull(await channels.findOne({ _id, ...mark }));
  });
}

function findConnected(
  { channels, retryPolicy }: MongoContext,
  channelId: string,
): Promise<ChannelDocument | null> {
  return retryPolicy.run('read a channel', () => channels.findOne({ _id: channelId, ...isConnected }));
}
