import type { ChannelType } from '../vocabulary.ts';
import { chatapp } from './chatapp.ts';
import type { ChannelKind } from './kind.ts';
import { pagechat } from './pagechat.ts';
import { photoapp } from './photoapp.ts';

/** The only place that distinguishes channel types. */
const kinds: Record<ChannelType, ChannelKind> = { chatapp, photoapp, pagechat };

export function kindOf(type: ChannelType): ChannelKind {
  return kinds[type];
}
