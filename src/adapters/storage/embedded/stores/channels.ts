/** Channels as the use-cases see them. */
import type { Channel } from '../../../../domain/channels/channel.ts';
import type { SlotHolder } from '../../../../domain/licences/slots.ts';
import type { ChannelSecrets, ChannelStore } from '../../../../use-cases/ports/channels.ts';
import type { WriterThread } from '../writer-thread.ts';
import { yieldToLoop } from '../reader.ts';
import type { Reader } from '../reader.ts';
import { ownColumns, reservedColumns, secretColumns } from '../tables.ts';
import type { Reserved } from '../../entities/channels.ts';
import type { Row } from '../table.ts';
import { beforeAll, pageOf } from './paging.ts';

/** Identities one POST may name are looked up one by one: some ms, then others get their turn. [faults: I9, 94] */
const identitiesPerSlice = 200;

const select = `select ${ownColumns.list} from channels`;

export function channelStore(reader: Reader, writer: WriterThread): ChannelStore {
  const inAccount = reader.query<Row<Channel>>(
    `${select} where id = ? and account_id = ? and connected_at is not null`,
  );
  const reads = channelReads(reader);

  async function readBack(isThere: boolean, channelId: string): Promise<Channel | null> {
    return isThere ? reads.byId(channelId) : null;
  }

  return {
    ...reads,
    async inAccount(channelId, accountId) {
      return oneOf(inAccount.get(channelId, accountId));
    },
    async updateWebhook(channelId, accountId, settings, firstSecret) {
      const isThere = await writer.call('updateWebhook', channelId, accountId, settings, firstSecret);
      return readBack(isThere, channelId);
    },
    renewProfile: ({ id, subscribedAsset }, profile) =>
      writer.call('renewProfile', id, subscribedAsset, profile),
    async deactivate(channelId, accountId) {
      return readBack(await writer.call('deactivate', channelId, accountId), channelId);
    },
    secretsAfter: secretsOf(reader),
    replaceSecrets: (before, after) => writer.call('replaceSecrets', before, after),
    reserve: (reservation, now) => writer.call('reserve', reservation, now),
    reservedBy: reservedByOn(reader),
    reservedSlots: reservedSlotsOf(reader),
    exchange: exchangeWith(reader, writer, reads.byId),
    dropExpiredReservations: (now) => writer.call('dropExpiredReservations', now),
    releaseClaim: (channelId) => writer.call('releaseClaim', channelId),
    bind: (channelId, subscriptionId) => writer.call('bind', channelId, subscriptionId),
  };
}

function secretsOf(reader: Reader): ChannelStore['secretsAfter'] {
  const after = reader.query<Row<ChannelSecrets>>(
    `select ${secretColumns.list} from channels where id > ? order by id limit ?`,
  );
  return async (id, limit) => after.all(id, limit).map(secretColumns.of);
}

function channelReads(
  reader: Reader,
): Pick<
  ChannelStore,
  'byId' | 'list' | 'byIdentity' | 'claimOf' | 'activeAfter' | 'activeOn' | 'countActiveOn' | 'accountsOn'
> {
  const one = reader.query<Row<Channel>>(`${select} where id = ? and connected_at is not null`);
  const active = reader.query<Row<Channel>>(
    `${select} where id > ? and is_active = 1 and connected_at is not null order by id limit ?`,
  );
  const activeOn = reader.query<Row<Channel>>(
    `${select} where subscribed_asset = ? and is_active = 1 limit ?`,
  );
  const holder = reader.query<Row<Channel>>(`${select} where channel_type = ? and identity = ?`);
  const reserver = reader.query<Row<Channel>>(`${select} where channel_type = ? and reserved_identity = ?`);
  const accountsOn = reader.query<{ account_id: string }>(
    'select distinct account_id from channels where subscribed_asset = ? and is_active = 1',
  );
  const onAsset = reader.query<{ n: number }>(
    'select count(*) as n from channels where subscribed_asset = ? and is_active = 1',
  );

  return {
    byId: async (channelId) => oneOf(one.get(channelId)),
    list: listOf(reader),
    activeAfter: async (after, limit) => active.all(after, limit).map(ownColumns.of),
    async byIdentity(channelType, identities) {
      const found: Channel[] = [];
      for (const [index, identity] of [...new Set(identities)].entries()) {
        if (index % identitiesPerSlice === identitiesPerSlice - 1) await yieldToLoop();
        const row = holder.get(channelType, identity);
        if (row !== undefined && row.connectedAt !== null) found.push(ownColumns.of(row));
      }
      return found;
    },
    async claimOf(channelType, identity) {
      return oneOf(holder.get(channelType, identity) ?? reserver.get(channelType, identity));
    },
    activeOn: async (asset, limit) => activeOn.all(asset, limit).map(ownColumns.of),
    accountsOn: async (asset) => accountsOn.all(asset).map((row) => row.account_id),
    async countActiveOn(asset) {
      return onAsset.get(asset)?.n ?? 0;
    },
  };
}

function listOf(reader: Reader): ChannelStore['list'] {
  const ofAccount = reader.query<Row<Channel>>(`
    ${select} where account_id = ? and connected_at is not null and (created_at, id) > (?, ?)
    order by created_at, id limit ?`);
  return async (accountId, page) =>
    pageOf(page, beforeAll, (after, limit) =>
      ofAccount.all(accountId, after.createdAt, after.id, limit).map(ownColumns.of),
    );
}

const ofCode = 'where reserved_code_hash = ? and account_id = ? and reserved_expires_at > ?';

function reservedByOn(reader: Reader): ChannelStore['reservedBy'] {
  const reserved = reader.query<{ id: string; subscriptionId: string }>(
    `select id, reserved_subscription_id as subscriptionId from channels ${ofCode}`,
  );
  return async ({ hash, accountId }, now) => {
    const row = reserved.get(hash, accountId, now);
    return row === undefined ? null : { channelId: row.id, subscriptionId: row.subscriptionId };
  };
}

function reservedSlotsOf(reader: Reader): ChannelStore['reservedSlots'] {
  const slots = reader.query<SlotHolder>(`
    select reserved_subscription_id as subscriptionId, channel_type as channelType from channels
    where reserved_expires_at > ? and account_id = ?`);
  return async (accountId, now) => slots.all(now, accountId);
}

/**
 * `settings` is a function and can't cross to the writing thread: the channel is found by its code here, settings are made,
 * and the writer then compares the code once more and swaps. Only the first of any racers still finds it. [faults: I12]
 */
function exchangeWith(
  reader: Reader,
  writer: WriterThread,
  byId: (channelId: string) => Promise<Channel | null>,
): ChannelStore['exchange'] {
  const byCode = reader.query<Row<Channel & Reserved>>(`
    select ${ownColumns.list}, ${reservedColumns.list} from channels ${ofCode}`);
  return async function exchange(code, now, settings) {
    const row = byCode.get(code.hash, code.accountId, now);
    if (row === undefined) return null;
    const channel = ownColumns.of(row);
    const { reservedGrant } = reservedColumns.of(row);
    if (reservedGrant === null) return null;
    const won = await writer.call('exchange', { ...code, now }, reservedGrant, settings(channel));
    return won ? byId(channel.id) : null;
  };
}

function oneOf(row: Row<Channel> | undefined): Channel | null {
  return row === undefined ? null : ownColumns.of(row);
}
