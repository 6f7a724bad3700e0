import { lruCache } from '../../src/kernel/lru-cache.ts';
import type { ActorKind, OwnershipGrant } from '../runtime/actor.ts';
import { isIdle, isQuiet, dropIdleSlices, countFigures } from './turns/idle.ts';
import { decide } from './turns/decide.ts';
import { NodeTotals, noSizes, measureSizes } from './turns/node-totals.ts';
import type { ChannelEffect, ChannelMessage } from './messages.ts';
import { perform } from './performing/perform.ts';
import { FetchesUnderWay, Suspects } from './performing/under-way.ts';
import { readKeptBytes, readSettings } from './performing/settings.ts';
import { noInbound, opened, openedFacts, openedInbound } from './performing/contents.ts';
import type { ChannelPorts } from './performing/channel-ports.ts';
import { limits, findLimit } from './limits.ts';
import type { ChannelRules, NodeFull } from './limits.ts';
import { PersonNames } from './person-names.ts';
import { Places } from './performing/places.ts';
import { RecentMessages } from './performing/recent-messages.ts';
import { storeFailures } from './performing/store-failures.ts';
import { newState } from './state.ts';
import type { ChannelState } from './state.ts';

export type { ChannelRules } from './limits.ts';
export type { ChannelState } from './state.ts';
export type { ChannelEffect } from './messages.ts';

type ChannelActor = ActorKind<ChannelState, ChannelMessage, ChannelEffect>;

/** Builds the channel actor: its state and decisions, tied to the ports that its effects use. */
export function makeChannelActor(
  ports: ChannelPorts,
  rules: ChannelRules,
  totals = new NodeTotals(),
): ChannelActor {
  const names = new PersonNames();
  const own = {
    ...ports,
    names,
    recent: new RecentMessages(),
    places: new Places(),
    fetches: new FetchesUnderWay(),
    suspects: new Suspects(ports.clock, limits.slowFetchMs),
    suspectPosts: new Suspects(ports.clock, limits.slowPostMs),
    storeFailed: storeFailures(ports),
    loggedMails: lruCache<true>(limits.loggedMails),
  };
  const shared = { nodeFull: totals.full, names };
  return {
    async load(channelId, grant) {
      const state = await load(ports, rules, shared, channelId, grant);
      totals.change(noSizes, measureSizes(state));
      return state;
    },
    decide(state, message, turn) {
      // A turn knows its own channel only: the node's totals are updated here, however the turn ends.
      const before = measureSizes(state);
      try {
        return decide(state, message, turn);
      } finally {
        totals.change(before, measureSizes(state));
      }
    },
    ended(state) {
      totals.change(measureSizes(state), noSizes);
      own.fetches.end(state.channelId);
    },
    perform: (effects, work) => perform(own, effects, work),
    wakeAt: (state) => (state.wakeAt === Infinity ? null : state.wakeAt),
    alarm: { type: 'alarm' },
    drain: { type: 'drain' },
    isQuiet,
    isIdle: (state) => isIdle(state, ports.clock.now()),
    figures: countFigures,
  };
}

async function load(
  ports: ChannelPorts,
  rules: ChannelRules,
  shared: { nodeFull: NodeFull; names: PersonNames },
  channelId: string,
  { epoch }: OwnershipGrant,
): Promise<ChannelState> {
  const { nodeFull } = shared;
  const now = ports.clock.now();
  const [settings, loaded] = await Promise.all([
    readSettings(ports, channelId),
    ports.store.load(channelId, epoch, now, findLimit('deliveries', nodeFull)),
  ]);
  const open = await opened(ports, loaded.openMessages);
  const unmatched = await openedFacts(ports, channelId, loaded.unmatched);
  const inbound = loaded.hasPendingInbound
    ? await openedInbound(ports, channelId, 0, findLimit('inbound', nodeFull))
    : noInbound;
  const left = { ...loaded, ...shared, unmatched, inbound, open };
  const state = newState({ channelId, epoch, rules, settings }, left, now);
  state.keepFrom(await readKeptBytes(ports, channelId, settings));
  dropIdleSlices(state, now);
  return state;
}
