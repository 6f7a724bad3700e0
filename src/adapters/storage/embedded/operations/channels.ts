/** Writes to connected channels. Reservations and exchange: `reservations.ts`. */
import type { WebhookSettings } from '../../../../use-cases/ports/channels.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { bit } from './insert.ts';

interface Webhook {
  webhook_url: string | null;
  webhook_secret: string | null;
  webhook_events: string | null;
  echo_statuses: number;
}

/** What the webhook columns become: undefined leaves a field as it is. */
export function mergedWebhook(now: Webhook, settings: WebhookSettings): Webhook {
  const { webhookUrl, webhookSecret, webhookEvents, echoStatuses } = settings;
  return {
    webhook_url: webhookUrl === undefined ? now.webhook_url : webhookUrl,
    webhook_secret: webhookSecret === undefined ? now.webhook_secret : webhookSecret,
    webhook_events: webhookEvents === undefined ? now.webhook_events : listOf(webhookEvents),
    echo_statuses: echoStatuses === undefined ? now.echo_statuses : bit(echoStatuses),
  };
}

function listOf(events: string[] | null): string | null {
  return events === null ? null : JSON.stringify(events);
}

export function channelOperations(db: Database) {
  const webhookOf = db.prepare<Webhook>(`
    select webhook_url, webhook_secret, webhook_events, echo_statuses from channels
    where id = ? and account_id = ? and connected_at is not null`);
  const setWebhook = db.prepare(`
    update channels set webhook_url = ?, webhook_secret = ?, webhook_events = ?, echo_statuses = ? where id = ?`);
  const setInactive = db.prepare(
    'update channels set is_active = 0 where id = ? and account_id = ? and connected_at is not null',
  );
  // An operator who frees the identity also ends a reservation that waits to revive the channel with it.
  const freeIdentity = db.prepare(`
    update channels set identity = null, reserved_code_hash = null, reserved_expires_at = null,
      reserved_api_key_id = null, reserved_identity = null, reserved_subscription_id = null, reserved_grant = null
    where id = ? and is_active = 0 and connected_at is not null`);
  const typeOf = db.prepare<{ account_id: string; channel_type: string }>(
    'select account_id, channel_type from channels where id = ? and connected_at is not null',
  );
  const licenceIn = db.prepare('select 1 from subscriptions where id = ? and account_id = ?');
  const holders = slotHolders(db);
  const setSlot = db.prepare('update channels set subscription_id = ? where id = ?');

  return {
    updateWebhook(channelId: string, accountId: string, settings: WebhookSettings): boolean {
      const now = webhookOf.get(channelId, accountId);
      if (now === undefined) return false;
      const next = mergedWebhook(now, settings);
      setWebhook.run(
        next.webhook_url,
        next.webhook_secret,
        next.webhook_events,
        next.echo_statuses,
        channelId,
      );
      return true;
    },
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

/** The channels that hold a slot, bound or reserved: one, or two while a slot changes hands within one channel. */
export function slotHolders(db: Database): (subscriptionId: string, channelType: string) => string[] {
  const find = db.prepare<{ id: string }>(`
    select id from channels where subscription_id = ?1 and channel_type = ?2
    union select id from channels where reserved_subscription_id = ?1 and channel_type = ?2`);
  return (subscriptionId, channelType) => find.all(subscriptionId, channelType).map((row) => row.id);
}
