import type { ActorKind } from '../runtime/actor.ts';
import type { Lease } from '../runtime/ports.ts';
import { decide } from './decide.ts';
import type { ChannelEffect } from './effects.ts';
import type { ChannelMessage } from './messages.ts';
import { perform } from './perform.ts';
import { opened, openedFacts } from './performing/contents.ts';
import type { ChannelWorld } from './perform.ts';
import type { ChannelRules, ChannelState } from './state.ts';
import { bounds, newState } from './state.ts';

export type { ChannelRules, ChannelState } from './state.ts';
export type { ChannelWorld } from './perform.ts';
export type { ChannelEffect } from './effects.ts';

export type ChannelActor = ActorKind<ChannelState, ChannelMessage, ChannelEffect>;

/** The channel actor: what one channel remembers and decides, tied to the ports it acts through. */
export function makeChannelActor(world: ChannelWorld, rules: ChannelRules): ChannelActor {
  return {
    load: (channelId, lease) => load(world, rules, channelId, lease),
    decide,
    perform: (effects, work) => perform(world, effects, work),
    wakeAt: (state) => (state.wakeAt === Infinity ? null : state.wakeAt),
    alarm: { type: 'alarm' },
    drain: { type: 'drain' },
    isQuiet: (state) => state.calls === 0 && state.posts === 0 && state.jobs.size === 0,
    isIdle: (state) =>
      state.sends.size + state.deliveries.size + state.jobs.size + state.held.size + state.calls === 0 &&
      !state.more &&
      state.pausedUntil <= world.clock.now(),
  };
}

async function load(
  world: ChannelWorld,
  rules: ChannelRules,
  channelId: string,
  { epoch }: Lease,
): Promise<ChannelState> {
  const now = world.clock.now();
  const [settings, loaded] = await Promise.all([
    world.store.settings(channelId),
    world.store.load(channelId, epoch, now, bounds.deliveries),
  ]);
  const open = await opened(world, loaded.openMessages);
  const held = openedFacts(world, channelId, loaded.held);
  return newState(channelId, epoch, rules, settings, { ...loaded, held }, open, now);
}
