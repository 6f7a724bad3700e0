import type { Channel } from '../../domain/channels/channel.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import { statusAt } from '../../domain/licences/operability.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import type { ChannelWithLicence } from '../../use-cases/index.ts';

/** What people call a kind. */
export const kindNames: Record<ChannelType, string> = {
  chatapp: 'chatapp (phone number)',
  photoapp: 'photoapp (direct messages)',
  pagechat: 'pagechat (page)',
};

/** What a person types as the recipient. */
export const recipientHints: Record<ChannelType, string> = {
  chatapp: 'A phone number with its country code, digits only.',
  photoapp: 'The id from the “from” of what they wrote to you.',
  pagechat: 'The id from the “from” of what they wrote to you.',
};

/** Number, handle or page. */
export function addressOf(channel: Channel): string {
  const only = kindOf(channel.channelType).publicFields(channel.profile);
  const handle = only.photoapp_username == null ? null : `@${only.photoapp_username}`;
  return only.phone_number ?? handle ?? only.page_id ?? '';
}

export interface Health {
  tone: 'good' | 'bad' | 'idle';
  word: string;
  why: string;
}

/** One word, and what to do about it. */
export function healthOf(
  { channel, subscription }: ChannelWithLicence,
  { now, graceMs }: { now: number; graceMs: number },
): Health {
  if (!channel.isActive) {
    return { tone: 'idle', word: 'removed', why: 'Neither sends nor receives. Connect it again to use it.' };
  }
  const status = subscription === null ? 'none' : statusAt(subscription, now, graceMs);
  if (status !== 'active') {
    return {
      tone: 'bad',
      word: status === 'none' ? 'no licence' : `licence ${status}`,
      why: 'It neither sends nor receives until a licence holds it.',
    };
  }
  if (channel.webhookUrl === null || (channel.webhookEvents ?? []).length === 0) {
    return {
      tone: 'idle',
      word: 'sends only',
      why: 'No webhook is set: what people write is not delivered.',
    };
  }
  return { tone: 'good', word: 'ready', why: 'Sends, and delivers its events.' };
}
