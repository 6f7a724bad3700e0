/**
 * Echoes of a number that, as far as is known, has none. A signed echo is the newer proof: it is stored and waits, upstream is asked anew, and
 * it is told if the number is dual-use by now, or if nobody can say. Only an answer to a question that was asked after the echo had come
 * drops it: an older "no" says nothing about it. [operator-interface §4: echoes]
 */
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import type { Echo } from '../../../src/rules/messages/facts.ts';
import type { UnmatchedFact } from '../../../src/storage/journal/channel-journal.ts';
import { findLimit } from '../limits.ts';
import type { ChannelEffect } from '../messages.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import type { FactContext } from './context.ts';
import { openQuestion } from './state.ts';
import type { FactsState, OpenQuestion } from './state.ts';
import { letWait, makeUnmatchedId } from './unmatched.ts';

/** Whether the echo waits for upstream's answer. */
export function waitForProof(context: FactContext, echo: Echo): boolean {
  const { state, settings } = context;
  if (kindOf(echo.channelType).hasEchoes(settings.channel.profile)) return false;
  const id = makeUnmatchedId(state.channelId, echo);
  const { unmatched, question } = state.facts;
  if (question?.echoes.get(id) === 'proven') return false;
  // More than may be remembered: each is signed.
  if (!unmatched.has(id) && unmatched.size >= findLimit('unmatched', state.nodeFull)) return false;
  if (!letWait(context, echo)) return false;
  openQuestion(state.facts).echoes.set(id, 'unproven');
  return true;
}

/** Asks upstream about the echoes that are stored by now; one question at a time. */
export function askForEchoes(state: ChannelState, now: number): ChannelEffect[] {
  const { settings, draining, factsAtWork: facts } = state;
  const question = facts?.question ?? null;
  if (facts === null || question === null || question.isAsked || settings === null || draining) return [];
  const about = findUnproven(facts, question);
  const [first] = about;
  if (first === undefined) return [];
  if (question.askAt > now) {
    wakeBy(state, question.askAt);
    return [];
  }
  question.isAsked = true;
  const { channel } = settings;
  const { requestId } = first.fact;
  return [{ effect: 'ask-for-echoes', channel, echoIds: about.map(({ id }) => id), requestId }];
}

function findUnproven({ unmatched }: FactsState, { echoes }: OpenQuestion): UnmatchedFact[] {
  return [...echoes].flatMap(([id, proof]) => (proof === 'unproven' ? (unmatched.get(id) ?? []) : []));
}
