/**
 * A reservation holds identity and slot of one channel until its code is exchanged or expires. One writer applies these one
 * after another, so each is atomic; the unique indexes stand behind them. [faults: 77-80]
 */
import type { Grant, Reservation, ReserveResult } from '../../../../use-cases/ports/reservations.ts';
import type { WebhookSettings } from '../../../../use-cases/ports/channels.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { mergedWebhook, slotHolders } from './channels.ts';
import { insertInto } from './insert.ts';

interface Holder {
  id: string;
  account_id: string;
  channel_type: string;
  is_active: number;
  connected_at: number | null;
}

interface CodeRow {
  id: string;
  webhook_url: string | null;
  webhook_secret: string | null;
  webhook_events: string | null;
  echo_statuses: number;
}

export interface CodeUse {
  hash: string;
  accountId: string;
  apiKeyId: string;
  now: number;
}

const noReservation = `reserved_code_hash = null, reserved_expires_at = null, reserved_api_key_id = null,
  reserved_identity = null, reserved_subscription_id = null, reserved_grant = null`;

export function reservationOperations(db: Database) {
  const dropNew = db.prepare('delete from channels where reserved_expires_at <= ? and connected_at is null');
  const dropOther = db.prepare(`update channels set ${noReservation} where reserved_expires_at <= ?`);

  /** Never connected: the channel goes, with claim and slot. Revived one day: only the reservation goes. */
  function dropExpiredReservations(now: number): number {
    return changed(dropNew.run(now)) + changed(dropOther.run(now));
  }

  return {
    dropExpiredReservations,
    reserve: reserveOperation(db, dropExpiredReservations),
    exchange: exchangeOperation(db),
  };
}

function reserveOperation(db: Database, dropExpired: (now: number) => number) {
  const holderColumns = 'id, account_id, channel_type, is_active, connected_at';
  const byIdentity = db.prepare<Holder>(`
    select ${holderColumns} from channels where channel_type = ?1 and identity = ?2
    union select ${holderColumns} from channels where channel_type = ?1 and reserved_identity = ?2`);
  const byId = db.prepare<Holder>(`select ${holderColumns} from channels where id = ?`);
  const holders = slotHolders(db);
  const remove = db.prepare('delete from channels where id = ?');
  const addChannel = db.prepare(
    insertInto('channels', [
      'id',
      'account_id',
      'channel_type',
      'identity',
      'subscription_id',
      'is_active',
      'echo_statuses',
      'created_at',
    ]),
  );
  const setReservation = db.prepare(`
    update channels set reserved_code_hash = ?, reserved_expires_at = ?, reserved_api_key_id = ?,
      reserved_identity = ?, reserved_subscription_id = ?, reserved_grant = ? where id = ?`);

  /** Whom the reservation may replace or extend; null when the identity is not this account's to take. */
  function predecessors(r: Reservation): Holder[] | null {
    const known = [...byIdentity.all(r.channelType, r.identity)];
    const named = byId.get(r.channelId);
    if (named !== undefined && !known.some((holder) => holder.id === named.id)) known.push(named);
    return known.every((holder) => isOpenTo(r, holder)) ? known : null;
  }

  return function reserve(r: Reservation, now: number): ReserveResult {
    dropExpired(now);
    const before = predecessors(r);
    if (before === null) return 'identity_taken';
    const own = new Set([r.channelId, ...before.map((holder) => holder.id)]);
    if (holders(r.subscriptionId, r.channelType).some((id) => !own.has(id))) return 'slot_taken';

    const revived = before.find((holder) => holder.id === r.channelId && holder.connected_at !== null);
    for (const holder of before) if (holder.connected_at === null) remove.run(holder.id);
    if (revived === undefined) {
      const { channelId, accountId, channelType, identity, subscriptionId, createdAt } = r;
      addChannel.run(channelId, accountId, channelType, identity, subscriptionId, 0, 0, createdAt);
    }
    const grant = JSON.stringify(r.grant);
    const { codeHash, codeExpiresAt, apiKeyId, identity, subscriptionId, channelId } = r;
    setReservation.run(codeHash, codeExpiresAt, apiKeyId, identity, subscriptionId, grant, channelId);
    return 'reserved';
  };
}

/** An unexchanged reservation of the account gives way; of connected channels only the inactive one that is named. */
function isOpenTo(r: Reservation, holder: Holder): boolean {
  if (holder.account_id !== r.accountId || holder.channel_type !== r.channelType) return false;
  if (holder.connected_at === null) return true;
  return holder.id === r.channelId && holder.is_active === 0;
}

function exchangeOperation(db: Database) {
  const byCode = db.prepare<CodeRow>(`
    select id, webhook_url, webhook_secret, webhook_events, echo_statuses from channels
    where reserved_code_hash = ? and account_id = ? and reserved_api_key_id = ? and reserved_expires_at > ?`);
  const connect = db.prepare(`
    update channels set
      identity = reserved_identity, subscription_id = reserved_subscription_id, is_active = 1, connected_at = ?,
      name = ?, profile = ?, subscribed_asset = ?, token = ?,
      webhook_url = ?, webhook_secret = ?, webhook_events = ?, echo_statuses = ?, ${noReservation}
    where id = ?`);

  /** False for every caller but the one that finds the code: it goes in the same step. [faults: I12] */
  return function exchange(code: CodeUse, grant: Grant, settings: WebhookSettings): boolean {
    const row = byCode.get(code.hash, code.accountId, code.apiKeyId, code.now);
    if (row === undefined) return false;
    const webhook = mergedWebhook(row, settings);
    connect.run(
      code.now,
      grant.name,
      JSON.stringify(grant.profile),
      grant.subscribedAsset,
      grant.token,
      webhook.webhook_url,
      webhook.webhook_secret,
      webhook.webhook_events,
      webhook.echo_statuses,
      row.id,
    );
    return true;
  };
}
