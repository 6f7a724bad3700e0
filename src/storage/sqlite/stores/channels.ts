/**
 * Ownership of identities and slots. Not over records: a file has separate columns for held and reserved ones, under unique indexes of
 * their own, and changes both in one transaction.
 */
import type { Channel } from '../../../rules/channels/channel.ts';
import type { ChannelHoldings } from '../../channel-holdings.ts';
import { yieldToLoop } from '../../../kernel/clock.ts';
import type { Reserved } from '../../entities/channels.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import { ownColumns, reservedColumns } from '../tables.ts';
import type { Row } from '../columns.ts';
import type { ReservedSlot } from '../../../rules/channels/reservation.ts';

/** Identities of one POST are looked up one by one; this many take some ms, then the loop yields. [faults: I9, 94] */
const identitiesPerSlice = 200;

const select = `select ${ownColumns.list} from channels`;

export function channelHoldings(reader: Reader, writer: WriterThread): ChannelHoldings {
  return {
    ...makeFindHolders(reader),
    deactivate: (channelId, accountId) => writer.call('deactivate', channelId, accountId),
    reserve: (reservation, now) => writer.call('reserve', reservation, now),
    reservedBy: reservedByOn(reader),
    reservedSlots: makeReadReservedSlots(reader),
    isReservedOn: isReservedOnIn(reader),
    exchange: exchangeWith(reader, writer),
    dropExpiredReservations: (now) => writer.call('dropExpiredReservations', now),
    releaseClaim: (channelId) => writer.call('releaseClaim', channelId),
    bind: (channelId, subscriptionId, seen = {}) => writer.call('bind', channelId, subscriptionId, seen),
  };
}

function makeFindHolders(reader: Reader): Pick<ChannelHoldings, 'byIdentity' | 'findClaimant'> {
  const holder = reader.query<Row<Channel>>(`${select} where channel_type = ? and identity = ?`);
  const reserver = reader.query<Row<Channel>>(`${select} where channel_type = ? and reserved_identity = ?`);
  return {
    async byIdentity(channelType, identities) {
      const found: Channel[] = [];
      for (const [index, identity] of [...new Set(identities)].entries()) {
        if (index % identitiesPerSlice === identitiesPerSlice - 1) await yieldToLoop();
        const row = holder.get(channelType, identity);
        if (row !== undefined && row.connectedAt !== null) found.push(ownColumns.of(row));
      }
      return found;
    },
    async findClaimant(channelType, identity) {
      return toChannelOrNull(holder.get(channelType, identity) ?? reserver.get(channelType, identity));
    },
  };
}

const ofCode = 'where reserved_code_hash = ? and account_id = ? and reserved_expires_at > ?';

function reservedByOn(reader: Reader): ChannelHoldings['reservedBy'] {
  const byCode = reader.query<Row<Channel & Reserved>>(`
    select ${ownColumns.list}, ${reservedColumns.list} from channels ${ofCode}`);
  return async ({ hash, accountId }, now) => {
    const row = byCode.get(hash, accountId, now);
    if (row === undefined) return null;
    const { reservedGrant, reservedIdentity, reservedSubscriptionId } = reservedColumns.of(row);
    if (reservedGrant === null) return null;
    const holds = { identity: reservedIdentity, subscriptionId: reservedSubscriptionId };
    return { ...ownColumns.of(row), ...reservedGrant, ...holds };
  };
}

/** Few codes are valid at a time. */
function isReservedOnIn(reader: Reader): ChannelHoldings['isReservedOn'] {
  const reserved = reader.query<Row<Reserved>>(
    `select ${reservedColumns.list} from channels where reserved_expires_at > ?`,
  );
  return async (asset, now) =>
    reserved.all(now).some((row) => reservedColumns.of(row).reservedGrant?.subscribedAsset === asset);
}

function makeReadReservedSlots(reader: Reader): ChannelHoldings['reservedSlots'] {
  const slots = reader.query<ReservedSlot>(`
    select reserved_subscription_id as subscriptionId, channel_type as channelType, reserved_identity as identity from channels
    where reserved_expires_at > ? and account_id = ?`);
  return async (accountId, now) => slots.all(now, accountId);
}

/**
 * `settings` is a function and cannot be sent to the writing thread. So the channel is looked up by its code here, its settings are
 * computed, and the writer checks code and secret again before it connects. Of concurrent calls one finds the code there. [faults: I12, 492]
 */
function exchangeWith(reader: Reader, writer: WriterThread): ChannelHoldings['exchange'] {
  const byCode = reader.query<Row<Channel & Reserved>>(`
    select ${ownColumns.list}, ${reservedColumns.list} from channels ${ofCode}`);
  const byId = reader.query<Row<Channel>>(`${select} where id = ? and connected_at is not null`);
  return async function exchange(code, now, settings) {
    for (;;) {
      const row = byCode.get(code.hash, code.accountId, now);
      if (row === undefined) return null;
      const channel = ownColumns.of(row);
      const { reservedGrant: grant } = reservedColumns.of(row);
      if (grant === null) return null;
      const seen = channel.webhookSecret;
      if (await writer.call('exchange', { ...code, now }, { grant, settings: settings(channel), seen }))
        return toChannelOrNull(byId.get(channel.id));
    }
  };
}

function toChannelOrNull(row: Row<Channel> | undefined): Channel | null {
  return row === undefined ? null : ownColumns.of(row);
}
