/**
 * Which fetch has ended its node. The start of a fetch is stored before the fetch begins: in the write that stores the message, or in a
 * write of its own if the fetch had to wait. If a fetch never ended, the next owner fetches that message while no other suspect runs on its
 * node, so that a second crash has one cause; then its files are quarantined, and the message is emitted without them. [faults: 102]
 */
import type { ChannelEffect } from '../messages.ts';
import { commitUntilStored } from '../messages.ts';
import { limits } from '../limits.ts';
import type { FileOutcome } from '../ports/outside.ts';
import type { ChannelSettings, PendingInbound } from '../ports/store.ts';
import type { ChannelState } from '../state.ts';
import { moveFile, moveInbound } from './pending.ts';
import type { OpenInbound } from './pending.ts';

/** Quarantines the files after too many crashes; [] while they may be fetched. */
export function quarantineFiles({ channel }: ChannelSettings, inbound: OpenInbound): ChannelEffect[] {
  const { pending, files, triesBefore } = inbound;
  if (triesBefore < limits.crashes) return [];
  const open = files.filter((file) => file.stage === 'waiting');
  if (open.length === 0) return [];
  for (const file of open) moveFile(file, 'fetching');
  const { id, fact } = pending;
  return [{ effect: 'quarantine-files', message: { channel, id, fact, tries: triesBefore } }];
}

/** A fetch of a suspect has ended and its node has not: the message is a suspect no more, unless nothing was tried. */
export function clearSuspicion(inbound: OpenInbound, outcome: FileOutcome): ChannelEffect[] {
  const { triesBefore, files } = inbound;
  if (triesBefore === 0 || files.some(({ stage }) => stage === 'fetching')) return [];
  inbound.triesBefore = outcome.outcome === 'busy' ? triesBefore : 0;
  inbound.isCounted = false;
  return files.every(({ stage }) => stage === 'ended') ? [] : [keepWith(inbound, inbound.triesBefore)];
}

/** The owner ends in order: takes back the counts of the fetches it has begun. */
export function leaveFiles({ inboundAtWork }: ChannelState): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (const inbound of inboundAtWork?.open.values() ?? []) {
    const { stage, files, isCounted, triesBefore } = inbound;
    if (stage !== 'open') continue;
    moveInbound(inbound, 'left');
    if (isCounted || files.some((file) => file.stage === 'fetching'))
      effects.push(keepWith(inbound, triesBefore));
  }
  return effects;
}

function keepWith({ pending }: OpenInbound, tries: number): ChannelEffect {
  const unmatched: PendingInbound = { ...pending, tries };
  return commitUntilStored([{ write: 'keepWaiting', unmatched }]);
}
