/** What the audit log shows of a channel. */
import type { Channel } from '../../rules/channels/channel.ts';
import type { Snapshot } from '../audit/index.ts';
import { perSetting } from './settings.ts';

export function channelSnapshot(channel: Channel): Snapshot {
  const { id, accountId, channelType, name, identity, isActive, subscriptionId } = channel;
  const shown = {
    channel_type: channelType,
    name,
    identity,
    is_active: isActive,
    subscription_id: subscriptionId,
    ...Object.fromEntries(perSetting((key, setting) => [setting.name, setting.audited(channel[key])])),
  };
  return { accountId, subject: id, shown };
}
