/** Upstream's answer whether a number has echoes: the echoes that it is about are told or dropped. */
import { limits } from '../limits.ts';
import type { ChannelEffect, EffectResult } from '../messages.ts';
import type { UnmatchedFact } from '../../../src/storage/journal/channel-journal.ts';
import type { ChannelState } from '../state.ts';
import { dropUnmatched, rematch } from './match.ts';
import { endQuestion, openQuestion } from './state.ts';
import type { OpenQuestion } from './state.ts';
import { askForEchoes } from './unproven-echoes.ts';

type Answered = Extract<EffectResult, { type: 'echoes-answered' }>;

export function onEchoesAnswered(
  state: ChannelState,
  { echoIds, answer }: Answered,
  now: number,
): ChannelEffect[] {
  const { facts } = state;
  const question = openQuestion(facts);
  question.isAsked = false;
  if (answer === 'unanswered') {
    const { echoAskDelaysMs: delays } = limits;
    question.askAt = now + (delays[Math.min(question.tries, delays.length - 1)] ?? 0);
    question.tries += 1;
    return askForEchoes(state, now);
  }
  Object.assign(question, { tries: 0, askAt: 0 } satisfies Partial<OpenQuestion>);
  const about = echoIds.flatMap((id) => facts.unmatched.get(id) ?? []);
  for (const id of echoIds) question.echoes.delete(id);
  const effects = answer === 'has-none' ? dropAll(state, about) : tellAll(state, question, about, now);
  return [...effects, ...askForEchoes(state, now)];
}

function dropAll(state: ChannelState, about: readonly UnmatchedFact[]): ChannelEffect[] {
  for (const { id } of about) state.facts.unmatched.delete(id);
  endQuestion(state.facts);
  return dropUnmatched(state, about);
}

function tellAll(
  state: ChannelState,
  question: OpenQuestion,
  about: readonly UnmatchedFact[],
  now: number,
): ChannelEffect[] {
  for (const { id } of about) question.echoes.set(id, 'proven');
  return rematch(state, about, now);
}
