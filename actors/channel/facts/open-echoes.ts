/**
 * Undecided echoes at the time when a send is due: one of them may prove that the send went out. So these echoes are decided before another
 * copy is made or the send is given up, whatever the settings for copies and giving up are. [upstream §3.7, §4.8; architecture §5]
 */
import type { Echo } from '../../../src/rules/messages/facts.ts';
import { limits } from '../limits.ts';
import type { UnmatchedFact } from '../../../src/storage/journal/channel-journal.ts';
import { dueAt } from '../sends/background.ts';
import type { OpenSend } from '../sends/state.ts';
import type { ChannelState } from '../state.ts';
import type { FactsState } from './state.ts';

/** Echoes that wait or that a job is processing. */
function* openEchoes({ unmatched, jobs, gathered, held }: FactsState): Iterable<Echo> {
  for (const { fact } of unmatched.values()) if (fact.kind === 'echo') yield fact;
  for (const { facts: taken } of [...jobs.values(), ...gathered, ...held])
    for (const fact of taken) if (fact.kind === 'echo') yield fact;
}

/** Alarm, before the sends are looked at: holds back due sends that an undecided echo may belong to. */
export function holdForEchoes(state: ChannelState, now: number): void {
  const { sendsAtWork: sends, factsAtWork: facts } = state;
  if (sends === null || facts === null) return;
  const due: OpenSend[] = [];
  for (const send of sends.open.values()) if (mustBeDecided(state, send, now)) due.push(send);
  // Most alarms have no due send, while thousands of facts may wait.
  if (due.length === 0) return;
  const people = new Set<string>();
  for (const { recipient } of openEchoes(facts)) people.add(recipient);
  const held = new Set<string>();
  for (const send of due) {
    if (!people.has(send.recipient)) continue;
    send.heldUntil = now + limits.retryPauseMs;
    held.add(send.recipient);
  }
  if (held.size > 0) rematchEchoesTo(facts, held);
}

function mustBeDecided(state: ChannelState, send: OpenSend, now: number): boolean {
  const { stage, copies, recording } = send;
  const mayBeOut = stage === 'unconfirmed' || (stage === 'deferred' && copies > 0);
  return mayBeOut && !recording && dueAt(state, send) <= now;
}

function rematchEchoesTo({ unmatched, jobs, toRematch }: FactsState, people: ReadonlySet<string>): void {
  const taken = new Set<UnmatchedFact>(toRematch);
  for (const { rematched } of jobs.values()) for (const each of rematched) taken.add(each);
  for (const each of unmatched.values()) {
    const { fact } = each;
    if (fact.kind === 'echo' && people.has(fact.recipient) && !taken.has(each)) toRematch.push(each);
  }
}
