import type { ActorKind } from '../runtime/actor.ts';
import type { OwnershipGrant } from '../runtime/ports.ts';
import { decide } from './decide.ts';
import type { ChannelEffect } from './effects.ts';
import type { ChannelMessage } from './messages.ts';
import { perform } from './performing/perform.ts';
import { opened, openedFacts } from './performing/contents.ts';
import type { ChannelPorts } from './performing/perform.ts';
import { limits } from './limits.ts';
import type { ChannelRules } from './limits.ts';
import { figuresOf } from './figures.ts';
import { newState } from './state.ts';
import type { ChannelState } from './state.ts';

export type { ChannelRules } from './limits.ts';
export type { ChannelState } from './state.ts';
export type { ChannelPorts } from './performing/perform.ts';
export type { ChannelEffect } from './effects.ts';

export type ChannelActor = ActorKind<ChannelState, ChannelMessage, ChannelEffect>;

/** The channel actor: what one channel remembers and decides, tied to the ports it acts through. */
export function makeChannelActor(ports: ChannelPorts, rules: ChannelRules): ChannelActor {
  return {
    load: (channelId, lease) => load(ports, rules, channelId, lease),
    decide,
    perform: (effects, work) => perform(ports, effects, work),
    wakeAt: (state) => (state.wakeAt === Infinity ? null : state.wakeAt),
    alarm: { type: 'alarm' },
    drain: { type: 'drain' },
    isQuiet: ({ sends, facts, deliveries }) =>
      sends.calls === 0 && deliveries.posts === 0 && facts.jobs.size === 0,
    isIdle: ({ sends, facts, deliveries }) =>
      sends.open.size + deliveries.open.size + facts.jobs.size + facts.unmatched.size + sends.calls === 0 &&
      facts.inbound.size === 0 &&
      !deliveries.storeHasMore &&
      sends.pausedUntil <= ports.clock.now(),
    figures: figuresOf,
  };
}

async function load(
  ports: ChannelPorts,
  rules: ChannelRules,
  channelId: string,
  { epoch }: OwnershipGrant,
): Promise<ChannelState> {
  const now = ports.clock.now();
  const [settings, loaded] = await Promise.all([
    ports.store.settings(channelId),
    ports.store.load(channelId, epoch, now, limits.deliveries),
  ]);
  const open = await opened(ports, loaded.openMessages);
  const unmatched = openedFacts(ports, channelId, loaded.unmatched);
  return newState({ channelId, epoch, rules, settings }, { ...loaded, unmatched, open }, now);
}
