/**
 * Which file is fetched next. First attempts and retries have separate slots: a first attempt never waits behind retries. A slow fetch
 * gives its slot up, within a bound. [faults: I11]
 */
import type { ChannelEffect } from '../messages.ts';
import { limits } from '../limits.ts';
import type { ChannelSettings } from '../ports/store.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import type { OpenFile, OpenInbound } from './pending.ts';
import { moveFile } from './pending.ts';

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
  open.tries += 1;
  return {
    effect: 'fetch-file',
    inbound,
    part,
    request: { channel, type, file, requestId: fact.requestId },
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
