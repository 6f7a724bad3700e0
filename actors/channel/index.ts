import { sealContext } from '../../src/domain/accounts/sealed.ts';
import type { Content, OutboundMessage } from '../../src/domain/messages/message.ts';
import type { ActorKind } from '../runtime/actor.ts';
import type { Lease } from '../runtime/ports.ts';
import { decide } from './decide.ts';
import type { ChannelEffect } from './effects.ts';
import type { ChannelMessage } from './messages.ts';
import { perform } from './perform.ts';
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
  const [settings, loaded] = await Promise.all([
    world.store.settings(channelId),
    world.store.load(channelId, epoch, world.clock.now(), bounds.deliveries),
  ]);
  const open = loaded.openMessages.flatMap((message) => openContent(world, message) ?? []);
  return newState(channelId, epoch, rules, settings, loaded, open);
}

/** A message whose content can't be opened (its key is gone) can't be sent again; it stays in the store as it is. */
function openContent(
  { sealer, log }: ChannelWorld,
  message: OutboundMessage,
): { message: OutboundMessage; content: Content } | null {
  if (message.content === null) return null;
  try {
    const plain = sealer.open(message.content, sealContext.content(message.channelId, message.id));
    return { message, content: JSON.parse(Buffer.from(plain).toString()) as Content };
  } catch {
    log.error({ channel: message.channelId, message: message.id }, 'send.content-unreadable');
    return null;
  }
}
