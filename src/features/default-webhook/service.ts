/** The default webhook of an account: what new channels start with. [spec: Additions, A default webhook] */
import { isOfChange } from '../../rules/events/table.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { addressShown } from '../../rules/webhooks/transcript.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { AccountReceiverSettings } from '../../rules/outside.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { sealContext } from '../../kernel/sealed.ts';
import type { Caller } from '../../rules/caller.ts';
import { audit, marked, markedUrl } from '../audit/index.ts';
import type { Snapshot } from '../audit/index.ts';
import { checkDefaultPatch, newWebhookSecret } from '../channels/index.ts';
import type { WebhookPatch } from '../channels/index.ts';
import type { World } from '../world.ts';
import type { DefaultWebhook } from './entity.ts';
import { noDefault } from './store.ts';

/** `webhookSecret` is plain text; null unless this call set or generated it. */
export interface DefaultWithSecret {
  standing: DefaultWebhook;
  webhookSecret: string | null;
}

type Starting = Pick<WebhookPatch, 'webhookUrl' | 'webhookSecret' | 'webhookEvents' | 'failedRetentionDays'>;

/** undefined leaves a field unchanged; null days: the account has not chosen. */
type DefaultPatch = Omit<Starting, 'failedRetentionDays'> & {
  failedRetentionDays?: number | null | undefined;
};

export async function readDefaultWebhook(
  { stores }: Pick<World, 'stores'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<DefaultWebhook> {
  return (await stores.defaultWebhooks.of(accountId)) ?? noDefault(accountId);
}

/**
 * Changes the given fields only; the first URL without a secret gets one. `mayChange` throws if the default, as it stands at the change, is
 * not to be changed. Throws 422 `validation`.
 */
export async function updateDefaultWebhook(
  world: World,
  caller: Caller,
  patch: DefaultPatch,
  mayChange: (standing: DefaultWebhook) => void = () => undefined,
): Promise<DefaultWithSecret> {
  const { accountId } = caller;
  checkDefaultPatch(patch);
  const { webhookUrl, webhookEvents, failedRetentionDays } = patch;
  const generated = newWebhookSecret();
  let shown: string | null = null;
  const { before, after } = await world.stores.defaultWebhooks.change(accountId, (standing) => {
    mayChange(standing);
    const isFirstUrl = typeof webhookUrl === 'string' && standing.webhookUrl === null;
    const lacksSecret = isFirstUrl && standing.webhookSecret === null && patch.webhookSecret == null;
    const secret = lacksSecret ? generated : patch.webhookSecret;
    shown = secret ?? null;
    return {
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
      ...(webhookEvents === undefined ? {} : { webhookEvents: distinct(webhookEvents) }),
      ...(failedRetentionDays === undefined ? {} : { failedRetentionDays }),
      ...(secret === undefined ? {} : { webhookSecret: sealed(world, accountId, secret) }),
    };
  });
  await audit(world, caller.by, 'default-webhook.changed', snapshotOf(before), snapshotOf(after));
  return { standing: after, webhookSecret: shown };
}

function distinct(events: readonly string[] | null): string[] | null {
  return events === null ? null : [...new Set(events)];
}

function sealed({ sealer }: Pick<World, 'sealer'>, accountId: string, secret: string | null) {
  return secret === null ? null : sealer.sealText(secret, sealContext.defaultWebhook(accountId));
}

function snapshotOf(standing: DefaultWebhook): Snapshot {
  const { accountId, webhookUrl, webhookSecret, webhookEvents, failedRetentionDays } = standing;
  return {
    accountId,
    subject: accountId,
    shown: {
      webhook_url: webhookUrl === null ? null : markedUrl(webhookUrl),
      webhook_secret: webhookSecret === null ? null : marked('set', webhookSecret),
      webhook_events: webhookEvents?.join(' ') ?? null,
      failed_retention_days: failedRetentionDays,
    },
  };
}

/** What a channel that is new here starts with; the secret is plain text. Empty: the account has no default. */
export async function startingSettings(
  world: Pick<World, 'stores' | 'sealer' | 'log'>,
  accountId: string,
  type: ChannelType,
): Promise<Starting> {
  const standing = await world.stores.defaultWebhooks.of(accountId);
  if (standing === null) return {};
  const { webhookUrl, webhookEvents, failedRetentionDays } = standing;
  const kept = failedRetentionDays === null ? {} : { failedRetentionDays };
  if (webhookUrl === null) return kept;
  const events = eventsFor(type, webhookEvents);
  return { webhookUrl, webhookEvents: events, webhookSecret: openSecret(world, standing), ...kept };
}

function eventsFor(type: ChannelType, events: readonly string[] | null): string[] | null {
  const available: readonly string[] = kindOf(type).availableEvents;
  return events?.filter((event) => available.includes(event)) ?? null;
}

/** A secret whose key is gone counts as none. */
function openSecret(
  { sealer, log }: Pick<World, 'sealer' | 'log'>,
  { accountId, webhookSecret }: DefaultWebhook,
): string | null {
  if (webhookSecret === null) return null;
  try {
    return sealer.openText(webhookSecret, sealContext.defaultWebhook(accountId));
  } catch {
    log.error({ account: accountId }, 'default-webhook.secret-unreadable');
    return null;
  }
}

/**
 * Where the changes of a channel that has no webhook of its own go: to the account's default, as far as it lists them; null: nowhere. The
 * secret is sealed as one of the channel.
 */
export async function changesReceiver(
  world: Pick<World, 'stores' | 'sealer' | 'log'>,
  { id, accountId, channelType }: Channel,
): Promise<AccountReceiverSettings | null> {
  const { webhookUrl, webhookEvents, webhookSecret } = await startingSettings(world, accountId, channelType);
  const changes = webhookEvents?.filter(isOfChange) ?? [];
  if (webhookUrl == null || changes.length === 0) return null;
  const secret =
    webhookSecret == null ? null : world.sealer.sealText(webhookSecret, sealContext.webhookSecret(id));
  // Not those of the channel, which its own receiver had.
  const noPrevious = { previousSecret: null, previousSecretUntil: null };
  return { webhookUrl, webhookSecret: secret, webhookEvents: changes, ...noPrevious };
}

/** The default's address for people who only read: its query may contain a secret. */
export function addressOf({ webhookUrl }: DefaultWebhook): string {
  return webhookUrl === null ? '' : addressShown(webhookUrl);
}
