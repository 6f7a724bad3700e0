import type { ChannelType } from '../vocabulary.ts';
import { chatapp } from './chatapp/index.ts';
import type { ChannelKind } from './kind.ts';
import { pagechat } from './pagechat/index.ts';
import { photoapp } from './photoapp/index.ts';

/** The only place that distinguishes channel types. */
const kinds: Record<ChannelType, ChannelKind> = { chatapp, photoapp, pagechat };

export function kindOf(type: ChannelType): ChannelKind {
  return kinds[type];
}
