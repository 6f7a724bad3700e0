import { fault } from '../../kernel/faults.ts';
import type { Channel } from '../channels/channel.ts';
import { kindOf } from '../channels/kinds.ts';
import type { TemplateOwner } from './template.ts';

/** Of the templates that this channel may send. Throws 400 `wrong_channel_type`. */
export function toTemplateOwner({ accountId, channelType, subscribedAsset }: Channel): TemplateOwner {
  const businessAccountId = kindOf(channelType).canSend.has('template') ? subscribedAsset : null;
  if (businessAccountId === null) throw fault('wrong_channel_type', { channel_type: channelType });
  return { accountId, businessAccountId };
}
