/**
 * The order of receipts that come in different POSTs. A POST with a `read` of a conversation is a job of its own, so it could be stored before
 * earlier facts that take another round or wait for a running job, and a `message.read` would be told before the `message.delivered`.
 */
import type { ChannelFact } from '../../../src/rules/messages/facts.ts';
import { rankOf } from '../../../src/rules/messages/message.ts';
import type { FactsAsk, FactsState } from './state.ts';

/** Whether an earlier fact about one of its people, of a lower status, is not stored yet. */
export function wouldOvertake({ jobs, gathered, held }: FactsState, asked: FactsAsk): boolean {
  if (jobs.size === 0) return false;
  const ranks = findRanks(asked.facts);
  const isLower = (fact: ChannelFact): boolean =>
    (fact.kind === 'receipt' || fact.kind === 'conversation-receipt') &&
    rankOf(fact.status) < (ranks.get(fact.recipient) ?? 0);
  const isEarlier = ({ ask }: FactsAsk): boolean => ask < asked.ask;
  return (
    jobs.some(({ asks, facts }) => (asks.length === 0 || asks.some(isEarlier)) && facts.some(isLower)) ||
    [...gathered, ...held].some((other) => isEarlier(other) && other.facts.some(isLower))
  );
}

/** The highest status of each person's conversation. */
function findRanks(facts: readonly ChannelFact[]): Map<string, number> {
  const ranks = new Map<string, number>();
  for (const fact of facts)
    if (fact.kind === 'conversation-receipt')
      ranks.set(fact.recipient, Math.max(rankOf(fact.status), ranks.get(fact.recipient) ?? 0));
  return ranks;
}
