/**
 * Which file is fetched next. First attempts and retries have separate slots: a first attempt never waits behind retries. A slow fetch
 * gives its slot up, within a bound. [faults: I11]
 *
 * Which fetch has ended its node. The start of a fetch is stored before the fetch begins: in the write that stores the message, or in a
 * write of its own if the fetch had to wait. If a fetch never ended, the next owner fetches that message while no other suspect runs on its
 * node, so that a second crash has one cause; then its files are quarantined, and the message is emitted without them. [faults: 102]
 */
import { limits } from '../limits.ts';
import type { ChannelSettings, PendingInbound } from '../../../src/storage/journal/channel-journal.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import type { OpenFile, OpenInbound } from './state.ts';
import { moveFile, moveInbound } from './state.ts';
import { commitUntilStored } from '../messages.ts';
import type { ChannelEffect } from '../messages.ts';
import type { FileOutcome } from '../../../src/rules/outside.ts';

export interface DueFile {
  inbound: OpenInbound;
  open: OpenFile;
}

/** Oldest first; among retries, the file with fewer tries first. */
export function startFetches(
  state: ChannelState,
  settings: ChannelSettings,
  due: readonly DueFile[],
  now: number,
): ChannelEffect[] {
  const first = due.filter(({ open }) => open.tries === 0);
  const again = due.filter(({ open }) => open.tries > 0).toSorted((a, b) => a.open.tries - b.open.tries);
  return [first, again].flatMap((files) =>
    files.slice(0, freePlaces(state, files, now)).map((file) => fetchFile(state, settings, file, now)),
  );
}

function freePlaces(state: ChannelState, files: readonly DueFile[], now: number): number {
  const isRetry = files[0] !== undefined && files[0].open.tries > 0;
  const alike = state.inbound.fetches.filter((fetch) => fetch.isRetry === isRetry);
  if (isRetry) return Math.max(0, limits.fetches - alike.length);
  const slowFrom = alike.map(({ startedAt }) => startedAt + limits.slowFetchMs).filter((at) => at > now);
  const all = limits.fetches + limits.slowFetches - alike.length;
  const free = Math.max(0, Math.min(limits.fetches - slowFrom.length, all));
  // Files without a slot are looked at again when a running fetch becomes slow.
  if (files.length > free && all > free) wakeBy(state, Math.min(now + limits.slowFetchMs, ...slowFrom));
  return free;
}

function fetchFile(
  state: ChannelState,
  { channel }: ChannelSettings,
  { inbound, open }: DueFile,
  now: number,
): ChannelEffect {
  const { part, type, file } = open;
  const { pending, isCounted, triesBefore } = inbound;
  const { id: inboundId, fact } = pending;
  state.inbound.fetches.push({ inboundId, part, isRetry: open.tries > 0, startedAt: now });
  moveFile(open, 'fetching');
  const again = open.tries === 0 ? {} : { earlierTries: open.tries };
  open.tries += 1;
  return {
    effect: 'fetch-file',
    inbound,
    part,
    request: { channel, type, file, requestId: fact.requestId, ...again },
    count: isCounted ? null : { ...pending, tries: triesBefore + 1 },
    isSuspect: triesBefore > 0,
  };
}

export function endFetch({ inbound: { fetches } }: ChannelState, inboundId: string, part: number): void {
  const at = fetches.findIndex((fetch) => fetch.inboundId === inboundId && fetch.part === part);
  if (at >= 0) fetches.splice(at, 1);
}

/** Files of remembered messages that have not ended. */
export function filesOpen({ inboundAtWork }: ChannelState): number {
  let open = 0;
  for (const { files } of inboundAtWork?.open.values() ?? [])
    for (const { stage } of files) if (stage !== 'ended') open += 1;
  return open;
}

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
