import type { Channel } from '../../rules/channels/channel.ts';
import { requireOperable } from '../../rules/licences/operability.ts';
import { toTemplateOwner } from '../../rules/templates/owner.ts';
import type { Template, TemplateOwner } from '../../rules/templates/template.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import type { TemplateSync } from './entity.ts';
import { findChannel, findLicence } from '../channels/index.ts';

export interface TemplateChannel {
  channel: Channel;
  owner: TemplateOwner;
}

/**
 * The channel and the owner of its templates: an account sees a business account's templates only through a channel of its own.
 * Throws 404 `not_found`, 400 `wrong_channel_type`.
 */
export async function templateChannel(
  world: World,
  caller: Caller,
  channelId: string,
): Promise<TemplateChannel> {
  const channel = await findChannel(world, caller, channelId);
  return { channel, owner: toTemplateOwner(channel) };
}

/** As `templateChannel`, for upstream calls. Also throws 400 `channel_inactive`, 402 `licence_inactive`. [operator-interface §4] */
export async function callingChannel(
  world: World,
  caller: Caller,
  channelId: string,
): Promise<TemplateChannel> {
  const found = await templateChannel(world, caller, channelId);
  await requireCalls(world, found.channel);
  return found;
}

export async function requireCalls(world: World, channel: Channel): Promise<void> {
  if (!channel.isActive) throw fault('channel_inactive');
  requireOperable(await findLicence(world, channel), world.clock.now(), world.settings.graceMs);
}

/** `languages`: those in which there is a template of the name. */
export function noSuchTemplate(languages: readonly string[] = []): Error {
  const why = languages.length === 0 ? {} : { why: `there is one of this name in ${languages.join(', ')}` };
  return fault('not_found', { what: 'Template', ...why });
}

/** Sets `syncedAt` to the time of the last list, which also covers templates that it did not change. */
export function withSyncTime(template: Template, sync: TemplateSync | null): Template {
  const listedAt = sync?.syncedAt ?? 0;
  return (template.syncedAt ?? 0) >= listedAt ? template : { ...template, syncedAt: listedAt };
}
