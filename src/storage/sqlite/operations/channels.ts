/** Writes to connected channels; those of reservations and exchanges are in `reservations.ts`. */
import type { Channel } from '../../../rules/channels/channel.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import type { Row } from '../columns.ts';
import { noReservation, ownColumns } from '../tables.ts';
import type { Bound, ChangedChannel, WebhookSettings } from '../../channel-holdings.ts';
import { whyNotBound } from '../../../rules/channels/binding.ts';
import type { SeenBinding } from '../../../rules/channels/binding.ts';

export type Webhook = Pick<Channel, keyof WebhookSettings>;

export function channelOperations(db: Database) {
  const setInactive = db.prepare(
    'update channels set is_active = 0 where id = ? and account_id = ? and connected_at is not null',
  );
  // Also ends a reservation that would revive the channel with the freed identity.
  const freeIdentity = db.prepare(`
    update channels set identity = null, subscription_id = null, ${noReservation} where id = ? and is_active = 0 and connected_at is not null`);
  const licenceIn = db.prepare('select 1 from subscriptions where id = ? and account_id = ?');
  const holders = slotHolders(db);
  // A code that would reconnect the channel does so in this slot, not in the one that the channel had at the time of its code.
  const setSlot = db.prepare(`
    update channels set subscription_id = ?1,
      reserved_subscription_id = iif(reserved_subscription_id is null, null, coalesce(?1, reserved_subscription_id))
    where id = ?2`);

  const read = db.prepare<Row<Channel>>(
    `select ${ownColumns.list} from channels where id = ? and connected_at is not null`,
  );
  /** The writer does one operation after the other: nothing comes between the three. */
  function changing(channelId: string, write: () => Parameters<typeof changed>[0]): ChangedChannel | null {
    const before = read.get(channelId);
    if (changed(write()) === 0) return null;
    const after = read.get(channelId);
    if (before === undefined || after === undefined) return null;
    return { before: ownColumns.of(before), after: ownColumns.of(after) };
  }

  return {
    deactivate: (channelId: string, accountId: string): ChangedChannel | null =>
      changing(channelId, () => setInactive.run(channelId, accountId)),
    releaseClaim: (channelId: string): ChangedChannel | null =>
      changing(channelId, () => freeIdentity.run(channelId)),
    bind(channelId: string, subscriptionId: string | null, seen: SeenBinding): Bound {
      const row = read.get(channelId);
      if (row === undefined) return 'absent';
      const channel = ownColumns.of(row);
      if (subscriptionId !== null && licenceIn.get(subscriptionId, channel.accountId) === undefined)
        return 'absent';
      const refusal = whyNotBound(channel, subscriptionId, seen);
      if (refusal !== null) return refusal;
      if (subscriptionId !== null) {
        const others = holders(subscriptionId, channel.channelType).filter((id) => id !== channelId);
        if (others.length > 0) return 'slot_taken';
      }
      return changing(channelId, () => setSlot.run(subscriptionId, channelId)) ?? 'absent';
    },
  };
}

/** Channels that hold a slot, bound or reserved: one, or two while the slot changes hands. */
export function slotHolders(db: Database): (subscriptionId: string, channelType: string) => string[] {
  const find = db.prepare<{ id: string }>(`
    select id from channels where subscription_id = ?1 and channel_type = ?2
    union select id from channels where reserved_subscription_id = ?1 and channel_type = ?2`);
  return (subscriptionId, channelType) => find.all(subscriptionId, channelType).map((row) => row.id);
}
