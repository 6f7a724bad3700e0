/** Checks and seals the webhook settings of PATCH and exchange-code, and generates secrets. */
import { sealContext } from '../../kernel/sealed.ts';
import type { SealedText, Sealer } from '../../kernel/sealed.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { countCharacters } from '../../rules/messages/text.ts';
import { maxSecretLength, previousSecretMs, secretPrefix } from '../../rules/webhooks/signature.ts';
import { eventTypes } from '../../rules/events/table.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { Fault, valueError } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import { newSecret } from '../../kernel/ids.ts';
import type { World } from '../world.ts';
import type { WebhookPatch } from './types.ts';
import type { WebhookSettings } from '../../storage/channel-holdings.ts';

/** A multiple of three: its base64 has no padding. */
const secretBytes = 33;

/**
 * Letters and digits only, so that base64 and its URL alphabet decode it alike, and a double click selects it; a quarter of all tries have
 * no others.
 */
export function newWebhookSecret(): string {
  const text = newSecret(secretBytes);
  return /^[A-Za-z0-9]+$/.test(text) ? `${secretPrefix}${text}` : newWebhookSecret();
}

type CheckedFields = Pick<WebhookPatch, 'webhookEvents' | 'webhookSecret'>;

/**
 * Throws a 422 that names every event that the channel's type doesn't have, and a secret that is empty or too long.
 * [operator-interface §4] `src/http` checks the URL, because that needs nothing but the URL.
 */
export function checkWebhookPatch(channelType: Channel['channelType'], patch: WebhookPatch): void {
  check(kindOf(channelType).availableEvents, `${channelType} channels`, patch);
}

/** As `checkWebhookPatch`, for channels of any type. */
export function checkDefaultPatch(patch: CheckedFields): void {
  check(eventTypes, 'any channel', patch);
}

function check(available: readonly string[], where: string, patch: CheckedFields): void {
  const errors = [
    ...eventErrors(available, where, patch.webhookEvents ?? []),
    ...secretErrors(patch.webhookSecret),
  ];
  if (errors.length > 0) throw new Fault('validation', { errors });
}

function eventErrors(
  available: readonly string[],
  where: string,
  events: readonly string[],
  field = 'webhook_events',
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, event] of events.entries()) {
    if (available.includes(event)) continue;
    const problem = `event is not available on ${where}; available: ${available.join(', ')}`;
    errors.push({ loc: ['body', field, i], ...valueError(problem) });
  }
  return errors;
}

function secretErrors(secret: string | null | undefined, field = 'webhook_secret'): FieldError[] {
  if (typeof secret !== 'string') return [];
  const length = countCharacters(secret);
  if (length > 0 && length <= maxSecretLength) return [];
  const problem = `${field} must have 1 to ${maxSecretLength} characters`;
  return [{ loc: ['body', field], ...valueError(problem) }];
}

/** As of a channel's webhook, for `events` and `secret` of one of its further endpoints. */
export function endpointErrors(
  channelType: Channel['channelType'],
  { events = [], secret }: { events?: readonly string[]; secret?: string | null },
): FieldError[] {
  const available: readonly string[] = kindOf(channelType).availableEvents;
  return [
    ...eventErrors(available, `${channelType} channels`, events, 'events'),
    ...secretErrors(secret, 'secret'),
  ];
}

type Sealing = Pick<World, 'sealer' | 'clock'>;

/** Settings for the store. `before` is the stored channel; `secret` is plain text: undefined keeps the stored one, null clears it. */
export function settingsFrom(
  world: Sealing,
  before: Channel,
  patch: WebhookPatch,
  secret: string | null | undefined,
): WebhookSettings {
  const { webhookSecret: _plain, webhookEvents: events, ...asGiven } = patch;
  const webhookEvents = events == null ? events : [...new Set(events)];
  return { ...asGiven, ...secretsFrom(world, before, secret), webhookEvents };
}

/**
 * `id`: of the owner of the secret. After a change the previous secret stays valid for a day; giving the same secret changes nothing,
 * clearing it ends both.
 */
export function secretsFrom(
  { sealer, clock }: Sealing,
  { id, webhookSecret: old }: Pick<Channel, 'id' | 'webhookSecret'>,
  secret: string | null | undefined,
): Pick<WebhookSettings, 'webhookSecret' | 'previousSecret' | 'previousSecretUntil'> {
  if (secret === undefined) return {};
  const webhookSecret = secret === null ? null : sealSecret(sealer, id, secret);
  if (secret === null || old === null)
    return { webhookSecret, previousSecret: null, previousSecretUntil: null };
  if (isSecret(sealer, id, old, secret)) return { webhookSecret };
  return { webhookSecret, previousSecret: old, previousSecretUntil: clock.now() + previousSecretMs };
}

/** False also if the stored secret can't be opened because its key is gone. */
function isSecret(sealer: Sealer, channelId: string, sealed: SealedText, secret: string): boolean {
  try {
    return openSecret(sealer, channelId, sealed) === secret;
  } catch {
    return false;
  }
}

export function sealSecret(sealer: Sealer, channelId: string, secret: string): SealedText {
  return sealer.sealText(secret, sealContext.webhookSecret(channelId));
}

export function openSecret(sealer: Sealer, channelId: string, sealed: SealedText): string {
  return sealer.openText(sealed, sealContext.webhookSecret(channelId));
}
