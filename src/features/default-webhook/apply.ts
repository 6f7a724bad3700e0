/** Gives the default webhook to channels that are there already, each with its line of the audit log. */
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { Caller } from '../../rules/caller.ts';
import type { Page, PagePosition } from '../../kernel/paging.ts';
import { fault } from '../../kernel/faults.ts';
import { updateChannel } from '../channels/index.ts';
import type { World } from '../world.ts';
import { startingSettings } from './service.ts';

interface ChosenChannels {
  /** null: of every type. */
  channelType: ChannelType | null;
  /** Part of the name; null: every name. */
  named: string | null;
  /** Only channels that have no webhook_url. */
  withoutWebhook: boolean;
}

/** Changes of one call: each is a write, a line of the audit log and a word to the owner. */
const maxChanges = 500;

/**
 * Gives address, secret, events and days of the default to the chosen channels that have another. Returns how many were changed, and
 * whether there are more. Throws 400 `bad_request` if the account has no default.
 */
export async function applyDefaultWebhook(
  world: World,
  caller: Caller,
  chosen: ChosenChannels,
): Promise<{ changed: number; hasMore: boolean }> {
  let changed = 0;
  for await (const channel of channelsOf(world, caller.accountId)) {
    if (!isChosen(channel, chosen)) continue;
    const settings = await startingSettings(world, caller.accountId, channel.channelType);
    const { webhookUrl } = settings;
    if (webhookUrl == null) throw fault('bad_request', { why: 'The account has no default webhook' });
    if (hasThem(channel, settings)) continue;
    if (changed === maxChanges) return { changed, hasMore: true };
    await updateChannel(world, caller, channel.id, settings);
    changed += 1;
  }
  return { changed, hasMore: false };
}

const perPage = 200;

async function* channelsOf({ stores }: World, accountId: string): AsyncGenerator<Channel> {
  let cursor: PagePosition | null = null;
  do {
    const page: Page<Channel> = await stores.channels.list(accountId, { limit: perPage, cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

function isChosen(channel: Channel, { channelType, named, withoutWebhook }: ChosenChannels): boolean {
  if (channelType !== null && channel.channelType !== channelType) return false;
  if (withoutWebhook && channel.webhookUrl !== null) return false;
  return named === null || (channel.name ?? '').toLowerCase().includes(named.toLowerCase());
}

type Applied = Awaited<ReturnType<typeof startingSettings>>;

/** The secret is not compared: to open it for each channel would cost more than to write it. */
function hasThem(channel: Channel, { webhookUrl, webhookEvents, failedRetentionDays }: Applied): boolean {
  return (
    channel.webhookUrl === webhookUrl &&
    (channel.webhookEvents ?? []).join() === (webhookEvents ?? []).join() &&
    (failedRetentionDays === undefined || channel.failedRetentionDays === failedRetentionDays)
  );
}
