import { fault } from '../../kernel/faults.ts';
import type { ChannelType } from './channel.ts';

/**
 * Returns the text unless it is longer than `limit`. Lengths are UTF-16 code units, as `length` counts in most clients'
 * languages; an emoji counts 2 or more. Throws fault `text_too_long`. [spec: Limits; faults: 71]
 */
export function checkTextLength(text: string, limit: number, channelType: ChannelType): string {
  if (text.length <= limit) return text;
  throw fault('text_too_long', { limit, length: text.length, channel_type: channelType });
}
