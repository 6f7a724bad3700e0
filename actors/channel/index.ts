import type { ActorKind } from '../runtime/actor.ts';
import type { OwnershipGrant } from '../runtime/ports.ts';
import { isIdle, isQuiet, rest, figuresOf } from './turns.ts';
import { decide } from './decide.ts';
import type { ChannelEffect, ChannelMessage } from './messages.ts';
import { mostRemembered } from './facts/backlog.ts';
import { perform } from './performing/perform.ts';
import { settingsOf } from './performing/settings.ts';
import { noInbound, opened, openedFacts, openedInbound } from './performing/contents.ts';
import type { ChannelPorts } from './performing/perform.ts';
import { limits } from './limits.ts';
import type { ChannelRules } from './limits.ts';
import { RecentMessages } from './performing/recent-messages.ts';
import { newState } from './state.ts';
import type { ChannelState } from './state.ts';
import type { FactsState } from './facts/state.ts';

export type { ChannelRules } from './limits.ts';
export type { ChannelState } from './state.ts';
export type { ChannelPorts } from './performing/perform.ts';
export type { ChannelEffect } from './messages.ts';

export type ChannelActor = ActorKind<ChannelState, ChannelMessage, ChannelEffect>;

/** The channel actor: what one channel remembers and decides, tied to the ports it acts through. */
export function makeChannelActor(
  ports: ChannelPorts,
  rules: ChannelRules,
  held = new InboundHeld(),
  recent = new RecentMessages(),
): ChannelActor {
  const own = { ...ports, recent };
  return {
    load: (channelId, lease) => load(ports, rules, held, channelId, lease),
    decide(state, message, turn) {
      state.noteNodeFull(held.isFull);
      const effects = decide(state, message, turn);
      if (state.factsAtWork !== null) held.count(state.factsAtWork);
      rest(state, turn.now);
      return effects;
    },
    ended({ factsAtWork }) {
      if (factsAtWork !== null) held.forget(factsAtWork);
    },
    perform: (effects, work) => perform(own, effects, work),
    wakeAt: (state) => (state.wakeAt === Infinity ? null : state.wakeAt),
    alarm: { type: 'alarm' },
    drain: { type: 'drain' },
    isQuiet,
    isIdle: (state) => isIdle(state, ports.clock.now()),
    figures: figuresOf,
  };
}

async function load(
  ports: ChannelPorts,
  rules: ChannelRules,
  { isFull: isNodeFull }: InboundHeld,
  channelId: string,
  { epoch }: OwnershipGrant,
): Promise<ChannelState> {
  const now = ports.clock.now();
  const [settings, loaded] = await Promise.all([
    settingsOf(ports, channelId),
    ports.store.load(channelId, epoch, now, limits.deliveries),
  ]);
  const open = await opened(ports, loaded.openMessages);
  const unmatched = await openedFacts(ports, channelId, loaded.unmatched);
  const inbound = loaded.hasPendingInbound
    ? await openedInbound(ports, channelId, 0, mostRemembered(isNodeFull))
    : noInbound;
  const left = { ...loaded, unmatched, inbound, isNodeFull, open };
  const state = newState({ channelId, epoch, rules, settings }, left, now);
  rest(state, now);
  return state;
}

type Counted = Pick<FactsState, 'inbound' | 'backlog'>;

/** How many pending messages the channels of one node remember together. [faults: I11] */
export class InboundHeld {
  #held = 0;

  get total(): number {
    return this.#held;
  }

  get isFull(): boolean {
    return this.#held >= limits.inboundOfNode;
  }

  /** After each turn. */
  count({ inbound, backlog }: Counted): void {
    this.#held += inbound.size - backlog.counted;
    backlog.counted = inbound.size;
  }

  forget({ backlog }: Counted): void {
    this.#held -= backlog.counted;
    backlog.counted = 0;
  }
}
