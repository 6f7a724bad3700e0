import type { ChannelFact } from '../../../src/rules/messages/facts.ts';
import { namesToldBy } from '../../../src/rules/messages/same-person.ts';
import type { ChannelState } from '../state.ts';

/** Knowledge, no consequence: it needs no commit. */
export function noteNames({ channelId, names }: ChannelState, facts: readonly ChannelFact[]): void {
  for (const fact of facts)
    for (const { name, sameAs } of namesToldBy(fact)) names.note(channelId, name, sameAs);
}
