/** Sample contents for the slices of a channel's state. */
import { unmatchedFrom } from '../../../actors/channel/facts/unmatched.ts';
import { reopened } from '../../../actors/channel/sends/reopened.ts';
import type { ChannelState } from '../../../actors/channel/state.ts';
import { inboundOf, newYear } from '../../rules/samples.ts';
import { receiptOf } from './facts.ts';
import { Turns, openMessage } from './turns.ts';

export const now = newYear;
export const later = now + 1;

export function newState(): ChannelState {
  return new Turns().state;
}

export const known = { upstreamId: 'up-1', recipient: 'mia', arrivedAt: now, sinceJob: 1 };
const order = { id: 'replay-1', since: 0, until: now, events: null };
export const replay = {
  stage: 'posting',
  order,
  after: { createdAt: -1, id: '' },
  behind: null,
  untried: new Set<string>(),
} as const;
export const pendingDelivery = {
  id: 'd-1',
  event: 'message.received',
  messageId: 'm-1',
  requestId: null,
  attempts: 0,
  claims: 0,
  firstTriedAt: null,
  nextDueAt: now,
  attemptLog: null,
  createdAt: now,
  bytes: 100,
} as const;
export const openSend = reopened(openMessage());
const fact = inboundOf({ upstreamId: 'in-1' });
export const pendingInbound = { id: 'in-1', fact, expiresAt: now, dueAt: now, tries: 0 };

export const unmatched = unmatchedFrom(newState(), receiptOf(), now);

export function addFact({ facts }: ChannelState): void {
  facts.unmatched.set(unmatched.id, unmatched);
}

export const job = {
  asks: [],
  facts: [],
  rematched: [],
  confirms: [],
  learned: [],
  newlyUnmatched: [],
  received: [],
  reserved: [],
  noRoom: null,
  since: 0,
};
