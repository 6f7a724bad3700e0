import type { Channel } from './channel.ts';
import { kindOf } from './kinds.ts';

/** Phone number, user name or page id; '' if none is known. */
export function addressOf({ channelType, profile }: Pick<Channel, 'channelType' | 'profile'>): string {
  const only = kindOf(channelType).publicFields(profile);
  const handle = only.photoapp_username == null ? null : `@${only.photoapp_username}`;
  return only.phone_number ?? handle ?? only.page_id ?? '';
}
