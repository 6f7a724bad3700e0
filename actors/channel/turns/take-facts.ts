import type { ChannelFact } from '../../../src/domain/messages/facts.ts';
import type { Turn } from '../../runtime/actor.ts';
import type { ChannelEffect } from '../effects.ts';
import { refusalOf } from '../eligibility.ts';
import { startJob } from '../fact-jobs.ts';
import type { ChannelState } from '../state.ts';

/**
 * [spec: SubscriptionInfo] The channel receives only while active and licensed: otherwise nothing is taken, counted, and
 * upstream is still answered 200. Statuses and echoes of what was sent before are facts and are always taken. [faults: 50, 52]
 */
export function onTakeFacts(state: ChannelState, facts: ChannelFact[], { now, ask }: Turn): ChannelEffect[] {
  if (state.settings === null) return reply(ask, 0, facts.length);
  const mayReceive = refusalOf(state, now) === null;
  const taken = mayReceive ? facts : facts.filter(isAboutOurs);
  if (taken.length === 0) return reply(ask, 0, facts.length);
  return startJob(state, { ask, facts: taken, dropped: facts.length - taken.length, joined: [] }, now);
}

/** An echo may confirm a send of ours; somebody else's is dropped where it is told apart. */
function isAboutOurs(fact: ChannelFact): boolean {
  return fact.kind !== 'inbound';
}

function reply(ask: number | null, taken: number, dropped: number): ChannelEffect[] {
  return ask === null ? [] : [{ effect: 'reply', asks: [ask], reply: { taken, dropped } }];
}
