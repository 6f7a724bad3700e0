import type { ChannelType } from '../rules/vocabulary.ts';
import { chatapp } from './chatapp/index.ts';
import type { UpstreamKind } from './kind.ts';
import { pagechat } from './threads/pagechat.ts';
import { photoapp } from './threads/photoapp.ts';

const kinds: Record<ChannelType, UpstreamKind> = { chatapp, photoapp, pagechat };

export function upstreamKindOf(type: ChannelType): UpstreamKind {
  return kinds[type];
}

export const upstreamKinds: readonly UpstreamKind[] = Object.values(kinds);
