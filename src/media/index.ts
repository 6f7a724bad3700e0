/** Downloads the files of inbound messages from upstream and stores them for a limited time. [upstream §5; spec: data.media fields] */
import type { FileFetcher, FileOutcome, FileRequest } from '../rules/outside.ts';
import { asError, toErrorCode } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { Semaphore } from '../kernel/semaphore.ts';
import { makeDnsLookup } from '../delivery/dial.ts';
import type { Lookup } from '../delivery/dial.ts';
import { DescribingThread } from './describing-thread.ts';
import { drop, makeDownloader } from './download.ts';
import type { DownloadRules } from './download.ts';
import { Failure } from './failure.ts';
import type { Cause } from './failure.ts';
import { FileRoom } from './room.ts';
import type { RoomLimits } from './room.ts';
import { storeFile } from './store-file.ts';
import type { StoringOptions } from './store-file.ts';
import type { FileLocation, FileLocator } from '../rules/messages/file-location.ts';

export interface FileFetcherOptions extends Omit<DownloadRules, 'lookup' | 'idleMs' | 'userAgent'> {
  locator: FileLocator;
  store: StoringOptions['store'];
  clock: StoringOptions['clock'];
  log: Log;
  /** Told the host of each file that is fetched, after all redirects. */
  fetchedFrom?: (host: string) => void;
  baseUrl: string;
  maxBytes: number;
  ttlMs: number;
  limits: RoomLimits;
  lookup?: Lookup;
  /** Deadline of an attempt, from locating the file to storing its last byte. */
  attemptMs?: number;
  idleMs?: number;
  /** Concurrent downloads. A channel requests few at a time, so a slow channel takes few of them. */
  maxInFlight?: number;
}

export interface FileDownloads extends FileFetcher {
  stats(): { inFlight: number; waiting: number };
  /** Free bytes of the volume that holds the files, when one was last stored; null: not known. */
  freeBytes(): number | null;
  /** Aborts downloads in flight. */
  close(): Promise<void>;
}

const defaults = { attemptMs: 180_000, idleMs: 15_000, maxInFlight: 128 };

export function makeFileFetcher(options: FileFetcherOptions): FileDownloads {
  const { locator, clock, log, baseUrl } = options;
  const { attemptMs, idleMs, maxInFlight } = { ...defaults, ...options };
  const userAgent = `Trunkline/1 (+${new URL(baseUrl).origin})`;
  const lookup = options.lookup ?? makeDnsLookup();
  const downloader = makeDownloader({ ...options, lookup, idleMs, userAgent });
  const describer = new DescribingThread(clock, log);
  const room = new FileRoom(options.store, options.limits, clock);
  const slots = new Semaphore(maxInFlight);
  const underWay = new Set<AbortController>();
  let isClosed = false;

  async function attempt(request: FileRequest, signal: AbortSignal): Promise<FileOutcome> {
    const { channel, file, requestId } = request;
    const location = await locator.locate(channel, file, requestId);
    if (!location.found) throw new Failure(whyNotFound(location, request));
    const asking = { authorization: location.authorization, requestId };
    const download = await downloader.open(location.url, asking, signal);
    try {
      const media = await storeFile({ ...options, attemptMs, describer, room }, request, location, download);
      options.fetchedFrom?.(download.url.hostname);
      return { outcome: 'fetched', media };
    } finally {
      drop(download.body);
    }
  }

  return {
    async fetch(request, left) {
      if (!(await slots.take())) return { outcome: 'busy' };
      const controller = new AbortController();
      underWay.add(controller);
      if (isClosed) controller.abort(); // it got its slot during `close`
      const cancel = clock.after(attemptMs, () => controller.abort());
      try {
        return await attempt(request, AbortSignal.any([controller.signal, left]));
      } catch (error) {
        return left.aborted ? { outcome: 'busy' } : conclude(log, request, error, controller.signal.aborted);
      } finally {
        cancel();
        underWay.delete(controller);
        slots.free();
      }
    },
    stats: () => ({ inFlight: slots.taken, waiting: slots.waiting }),
    freeBytes: () => room.freeBytes,
    async close() {
      isClosed = true;
      const free = slots.close();
      for (const controller of underWay) controller.abort();
      await Promise.all([describer.close(), free]);
    },
  };
}

/** The node of a file may be late by seconds: only what it says repeatedly is final. [upstream §5.1] */
const finalAfterTries = 2;

function conclude(
  log: Log,
  { channel, file, requestId }: FileRequest,
  error: unknown,
  isLate: boolean,
): FileOutcome {
  const failure = toFailure(error, isLate);
  const why = failure.cause instanceof Error ? failure.cause.message : asError(error).name;
  const host = failure.host === null ? {} : { host: failure.host };
  log.info(
    { channel: channel.id, request_id: requestId, cause: failure.why, why, ...host },
    'media.not-fetched',
  );
  // A URL that came with the message cannot be requested again.
  const isLast = file.mediaId === null && (failure.why === 'expired' || failure.why === 'not-there');
  const mayPass = failure.mayPass && !isLast;
  return { outcome: 'failed', error: failure.error, mayPass };
}

function whyNotFound(
  { mayPass, isTokenRefused }: Extract<FileLocation, { found: false }>,
  { earlierTries = 0 }: FileRequest,
): Cause {
  if (isTokenRefused === true) return 'token';
  if (mayPass) return 'not-located';
  return earlierTries < finalAfterTries ? 'not-there' : 'absent';
}

const isCut = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

function toFailure(error: unknown, isLate: boolean): Failure {
  if (error instanceof Failure) return error;
  const code = toErrorCode(error) ?? '';
  if (isLate) return new Failure('timeout', { cause: error });
  if (code === 'blocked') return new Failure('forbidden', { cause: error });
  return new Failure(isCut.has(code) ? 'cut-off' : 'connection', { cause: error });
}
