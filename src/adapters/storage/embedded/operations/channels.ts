/** Writes to connected channels. Reservations and exchange: `reservations.ts`. */
import type { SealedText } from '../../../../domain/accounts/sealed.ts';
import type { Channel } from '../../../../domain/channels/channel.ts';
import type { ChannelProfile } from '../../../../domain/channels/profile.ts';
import type { ChannelSecrets, WebhookSettings } from '../../../../use-cases/ports/channels.ts';
import { changed, prepareNamed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { noReservation, profileColumn, webhookColumns } from '../tables.ts';
import { merged } from '../merged.ts';
import type { Row } from '../table.ts';

export type Webhook = Pick<Channel, keyof WebhookSettings>;

export function channelOperations(db: Database) {
  const webhookOf = db.prepare<Row<Webhook>>(`
    select ${webhookColumns.list} from channels where id = ? and account_id = ? and connected_at is not null`);
  const setWebhook = prepareNamed(db, `update channels set ${webhookColumns.assignments} where id = :id`);
  const setProfile = prepareNamed(
    db,
    `update channels set ${profileColumn.assignments}
    where id = :id and subscribed_asset is :subscribedAsset and connected_at is not null`,
  );
  const setSecrets = db.prepare(`
    update channels set token = ?2, webhook_secret = ?3, previous_secret = ?4
    where id = ?1 and token is ?5 and webhook_secret is ?6 and previous_secret is ?7`);
  const setInactive = db.prepare(
    'update channels set is_active = 0 where id = ? and account_id = ? and connected_at is not null',
  );
  // An operator who frees the identity also ends a reservation that waits to revive the channel with it.
  const freeIdentity = db.prepare(`
    update channels set identity = null, ${noReservation} where id = ? and is_active = 0 and connected_at is not null`);
  const typeOf = db.prepare<{ account_id: string; channel_type: string }>(
    'select account_id, channel_type from channels where id = ? and connected_at is not null',
  );
  const licenceIn = db.prepare('select 1 from subscriptions where id = ? and account_id = ?');
  const holders = slotHolders(db);
  const setSlot = db.prepare('update channels set subscription_id = ? where id = ?');

  return {
    updateWebhook(
      id: string,
      accountId: string,
      settings: WebhookSettings,
      firstSecret?: SealedText,
    ): boolean {
      const row = webhookOf.get(id, accountId);
      if (row === undefined) return false;
      const webhook = merged(webhookColumns.of(row), settings);
      webhook.webhookSecret ??= firstSecret ?? null;
      setWebhook.run({ ...webhookColumns.values(webhook), id });
      return true;
    },
    renewProfile(id: string, subscribedAsset: string | null, profile: ChannelProfile): boolean {
      return changed(setProfile.run({ ...profileColumn.values({ profile }), id, subscribedAsset })) === 1;
    },
    replaceSecrets: (before: ChannelSecrets, after: ChannelSecrets): boolean =>
      changed(setSecrets.run(before.id, ...sealedIn(after), ...sealedIn(before))) === 1,
    deactivate: (channelId: string, accountId: string): boolean =>
      changed(setInactive.run(channelId, accountId)) === 1,
    releaseClaim: (channelId: string): boolean => changed(freeIdentity.run(channelId)) === 1,
    bind(channelId: string, subscriptionId: string | null): 'bound' | 'slot_taken' | 'absent' {
      const channel = typeOf.get(channelId);
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

function sealedIn({ token, webhookSecret, previousSecret }: ChannelSecrets): (SealedText | null)[] {
  return [token, webhookSecret, previousSecret];
}

/** The channels that hold a slot, bound or reserved: one, or two while a slot changes hands within one channel. */
export function slotHolders(db: Database): (subscriptionId: string, channelType: string) => string[] {
  const find = db.prepare<{ id: string }>(`
    select id from channels where subscription_id = ?1 and channel_type = ?2
    union select id from channels where reserved_subscription_id = ?1 and channel_type = ?2`);
  return (subscriptionId, channelType) => find.all(subscriptionId, channelType).map((row) => row.id);
}
