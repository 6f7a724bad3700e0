/** Writes to connected channels; those of reservations and exchanges are in `reservations.ts`. */
import type { Channel } from '../../../../domain/channels/channel.ts';
import type { WebhookSettings } from '../../../../use-cases/ports/channels.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { noReservation } from '../tables.ts';

export type Webhook = Pick<Channel, keyof WebhookSettings>;

export function channelOperations(db: Database) {
  const setInactive = db.prepare(
    'update channels set is_active = 0 where id = ? and account_id = ? and connected_at is not null',
  );
  // Also ends a reservation that would revive the channel with the freed identity.
  const freeIdentity = db.prepare(`
    update channels set identity = null, subscription_id = null, ${noReservation} where id = ? and is_active = 0 and connected_at is not null`);
  const findType = db.prepare<{ account_id: string; channel_type: string }>(
    'select account_id, channel_type from channels where id = ? and connected_at is not null',
  );
  const licenceIn = db.prepare('select 1 from subscriptions where id = ? and account_id = ?');
  const holders = slotHolders(db);
  const setSlot = db.prepare('update channels set subscription_id = ? where id = ?');

  return {
    deactivate: (channelId: string, accountId: string): boolean =>
      changed(setInactive.run(channelId, accountId)) === 1,
    releaseClaim: (channelId: string): boolean => changed(freeIdentity.run(channelId)) === 1,
    bind(channelId: string, subscriptionId: string | null): 'bound' | 'slot_taken' | 'absent' {
      const channel = findType.get(channelId);
      if (channel === undefined) return 'absent';
      if (subscriptionId !== null) {
        if (licenceIn.get(subscriptionId, channel.account_id) === undefined) return 'absent';
        const others = holders(subscriptionId, channel.channel_type).filter((id) => id !== channelId);
        if (others.length > 0) return 'slot_taken';
      }
      setSlot.run(subscriptionId, channelId);
      return 'bound';
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
