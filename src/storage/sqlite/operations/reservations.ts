/**
 * A reservation holds the identity and slot of one channel until its code is exchanged or expires. The single writer applies one operation
 * after the other, so each is atomic; unique indexes guard them as well. [faults: 77-80]
 */
import type { Channel } from '../../../rules/channels/channel.ts';
import type { Reserved } from '../../entities/channels.ts';
import { changed, prepareNamed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { channels, noReservation, grantColumns, reservedColumns, webhookColumns } from '../tables.ts';
import type { Row } from '../columns.ts';
import { slotHolders } from './channels.ts';
import type { Webhook } from './channels.ts';
import type { Grant, Holder, Reservation, ReserveResult } from '../../../rules/channels/reservation.ts';
import { isOpenTo } from '../../../rules/channels/reservation.ts';
import type { WebhookSettings } from '../../channel-holdings.ts';

interface CodeUse {
  hash: string;
  accountId: string;
  now: number;
}

export function reservationOperations(db: Database) {
  const dropNew = db.prepare('delete from channels where reserved_expires_at <= ? and connected_at is null');
  const dropOther = db.prepare(`update channels set ${noReservation} where reserved_expires_at <= ?`);

  /** A channel that was never connected is deleted, with its claim and slot; a channel to be revived loses only the reservation. */
  function dropExpiredReservations(now: number): number {
    return changed(dropNew.run(now)) + changed(dropOther.run(now));
  }

  return {
    dropExpiredReservations,
    reserve: reserveOperation(db, dropExpiredReservations),
    exchange: exchangeOperation(db),
  };
}

const holderColumns = channels.pick('id', 'accountId', 'channelType', 'isActive', 'connectedAt');
const newColumns = channels.pick(
  'id',
  'accountId',
  'channelType',
  'identity',
  'subscriptionId',
  'createdAt',
  'isActive',
  'echoStatuses',
);

function reserveOperation(db: Database, dropExpired: (now: number) => number) {
  const byIdentity = db.prepare<Row<Holder>>(`
    select ${holderColumns.list} from channels where channel_type = ?1 and identity = ?2
    union select ${holderColumns.list} from channels where channel_type = ?1 and reserved_identity = ?2`);
  const byId = db.prepare<Row<Holder>>(`select ${holderColumns.list} from channels where id = ?`);
  const holders = slotHolders(db);
  const remove = db.prepare('delete from channels where id = ?');
  const addChannel = newColumns.insert(db);
  const setReservation = prepareNamed(
    db,
    `update channels set ${reservedColumns.assignments} where id = :id`,
  );

  /** Channels that the reservation replaces or extends; null if the account may not take the identity. */
  function predecessors(r: Reservation): Holder[] | null {
    const known = byIdentity.all(r.channelType, r.identity).map(holderColumns.of);
    const row = byId.get(r.channelId);
    const named = row === undefined ? undefined : holderColumns.of(row);
    if (named !== undefined && !known.some((holder) => holder.id === named.id)) known.push(named);
    return known.every((holder) => isOpenTo(r, holder)) ? known : null;
  }

  return function reserve(r: Reservation, now: number): ReserveResult {
    dropExpired(now);
    const before = predecessors(r);
    if (before === null) return 'identity_taken';
    const own = new Set([r.channelId, ...before.map((holder) => holder.id)]);
    if (holders(r.subscriptionId, r.channelType).some((id) => !own.has(id))) return 'slot_taken';

    const revived = before.find((holder) => holder.id === r.channelId && holder.connectedAt !== null);
    for (const holder of before) if (holder.connectedAt === null) remove.run(holder.id);
    if (revived === undefined) addChannel(newChannel(r));
    setReservation.run({ ...reservedColumns.values(reservedPart(r)), id: r.channelId });
    return 'reserved';
  };
}

function reservedPart(r: Reservation): Reserved {
  return {
    reservedCodeHash: r.codeHash,
    reservedExpiresAt: r.codeExpiresAt,
    reservedApiKeyId: r.apiKeyId,
    reservedIdentity: r.identity,
    reservedSubscriptionId: r.subscriptionId,
    reservedGrant: r.grant,
  };
}

/** A new channel holds claim and slot from the start, and nothing else until its code is exchanged. */
function newChannel({ channelId, accountId, channelType, identity, subscriptionId, createdAt }: Reservation) {
  const flags = { isActive: false, echoStatuses: false };
  return { id: channelId, accountId, channelType, identity, subscriptionId, createdAt, ...flags };
}

interface Connecting {
  grant: Grant;
  settings: WebhookSettings;
  /** The secret that the settings follow from. */
  seen: Webhook['webhookSecret'];
}

function exchangeOperation(db: Database) {
  const byCode = db.prepare<Row<Webhook & Pick<Channel, 'id'>>>(`
    select id, ${webhookColumns.list} from channels
    where reserved_code_hash = ? and account_id = ? and reserved_expires_at > ?`);
  const connect = prepareNamed(
    db,
    `update channels set
       identity = reserved_identity, subscription_id = reserved_subscription_id, is_active = 1, connected_at = :now,
       sends_resumed_at = iif(sends_paused_at > coalesce(sends_resumed_at, 0), max(sends_paused_at, :now), sends_resumed_at),
       ${grantColumns.assignments}, ${webhookColumns.assignments}, ${noReservation}
     where id = :id`,
  );

  /** True for one caller only: the step that finds the code also clears it. False also if the secret is not the one that was seen. [faults: I12] */
  return function exchange(code: CodeUse, { grant, settings, seen }: Connecting): boolean {
    const row = byCode.get(code.hash, code.accountId, code.now);
    if (row === undefined) return false;
    const before = webhookColumns.of(row);
    if (before.webhookSecret !== seen) return false;
    const webhook = merged(before, settings);
    const values = { ...grantColumns.values(grant), ...webhookColumns.values(webhook) };
    connect.run({ ...values, id: row.id, now: code.now });
    return true;
  };
}

/** Merges a patch into a copy; undefined leaves a property unchanged. */
function merged<T extends object>(now: T, patch: Partial<T>): T {
  const next = { ...now };
  for (const key in patch) {
    const value = patch[key];
    if (value !== undefined) next[key] = value;
  }
  return next;
}
