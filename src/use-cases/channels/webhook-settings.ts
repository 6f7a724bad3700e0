/** Webhook settings as PATCH and exchange-code give them: checked, sealed, and with a secret made where none was given. */
import { sealContext } from '../../domain/accounts/sealed.ts';
import type { SealedText, Sealer } from '../../domain/accounts/sealed.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import { lengthOf } from '../../domain/messages/text.ts';
import { maxSecretLength } from '../../domain/webhooks/signature.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import { Fault } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import { newSecret } from '../../kernel/ids.ts';
import type { WebhookPatch } from './types.ts';
import type { WebhookSettings } from '../ports/channels.ts';

const secretBytes = 32;

/** A receiver sees at a glance what the text is, and secret scanners find it. */
export function newWebhookSecret(): string {
  return `whsec_${newSecret(secretBytes)}`;
}

/**
 * Throws a 422 that names every event the channel's type doesn't have and a secret that is empty or too long.
 * [operator-interface §4] The URL rule is the door's: it needs nothing but the URL.
 */
export function checkWebhookPatch(channelType: Channel['channelType'], patch: WebhookPatch): void {
  const errors = [
    ...eventErrors(channelType, patch.webhookEvents ?? []),
    ...secretErrors(patch.webhookSecret),
  ];
  if (errors.length > 0) throw new Fault('validation', { errors });
}

function eventErrors(channelType: Channel['channelType'], events: readonly string[]): FieldError[] {
  const available: readonly string[] = kindOf(channelType).availableEvents;
  const errors: FieldError[] = [];
  for (const [i, event] of events.entries()) {
    if (available.includes(event)) continue;
    const msg = `Value error, event is not available on ${channelType} channels; available: ${available.join(', ')}`;
    errors.push({ loc: ['body', 'webhook_events', i], msg, type: 'value_error' });
  }
  return errors;
}

function secretErrors(secret: string | null | undefined): FieldError[] {
  if (typeof secret !== 'string') return [];
  const length = lengthOf(secret);
  if (length > 0 && length <= maxSecretLength) return [];
  const msg = `Value error, webhook_secret must have 1 to ${maxSecretLength} characters`;
  return [{ loc: ['body', 'webhook_secret'], msg, type: 'value_error' }];
}

/** What the store is to write. `secret` in clear: undefined keeps the stored one, null clears it. */
export function settingsFrom(
  sealer: Sealer,
  channelId: string,
  patch: WebhookPatch,
  secret: string | null | undefined,
): WebhookSettings {
  return {
    webhookUrl: patch.webhookUrl,
    webhookSecret: typeof secret === 'string' ? sealSecret(sealer, channelId, secret) : secret,
    webhookEvents: patch.webhookEvents == null ? patch.webhookEvents : [...new Set(patch.webhookEvents)],
    echoStatuses: patch.echoStatuses,
  };
}

export function sealSecret(sealer: Sealer, channelId: string, secret: string): SealedText {
  return sealer.sealText(secret, sealContext.webhookSecret(channelId));
}

export function openSecret(sealer: Sealer, channelId: string, sealed: SealedText): string {
  return sealer.openText(sealed, sealContext.webhookSecret(channelId));
}
