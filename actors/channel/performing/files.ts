/** One attempt to fetch a file. Not awaited: it reports its own result. Files that crash their node are quarantined. */
import { FencedError, asError } from '../../../src/kernel/faults.ts';
import type { ChannelWork, EffectNamed, OwnPorts } from './channel-ports.ts';
import { commitWith } from './commits.ts';
import { noEvents } from './outgoing.ts';
import { retryUntilStored, untilStored } from './retry-until-stored.ts';

export function fetchFile(ports: OwnPorts, effect: EffectNamed<'fetch-file'>, work: ChannelWork): void {
  const fetching = (): Promise<void> =>
    countAndFetch(ports, effect, work).catch((error: unknown) => {
      // Another node owns the channel and fetches the file; this activation learns that with its next claim.
      if (error instanceof FencedError) return;
      // Our defect: the file may be tried again. [faults: 336]
      const { inbound, part, request } = effect;
      const ids = { channel: work.key, request_id: request.requestId };
      ports.log.error({ ...ids, error: asError(error) }, 'media.broken');
      const inboundId = inbound.pending.id;
      work.report({
        type: 'file-ended',
        inboundId,
        part,
        outcome: { outcome: 'failed', error: notFetched, mayPass: true },
      });
    });
  if (effect.isSuspect) ports.suspects.run(() => ports.suspects.begin(fetching()));
  else void fetching();
}

const notFetched = 'The file could not be fetched';

async function countAndFetch(
  ports: OwnPorts,
  { inbound, part, request, count }: EffectNamed<'fetch-file'>,
  work: ChannelWork,
): Promise<void> {
  const inboundId = inbound.pending.id;
  const isWanted = (): boolean => work.isLive() && inbound.stage === 'open';
  const reportNotTried = (): void =>
    work.report({ type: 'file-ended', inboundId, part, outcome: { outcome: 'busy' } });
  // While the fetch waited, the message was emitted without its files or left to the next owner: frees the slot.
  if (!isWanted()) return reportNotTried();
  if (count !== null) {
    const counted = await retryUntilStored(ports, work, () =>
      commitWith(ports, work, noEvents, [{ write: 'keepWaiting', unmatched: count }]),
    );
    if (counted === null) return;
    // The owner has ended in order meanwhile, and takes the count back.
    if (!isWanted()) return reportNotTried();
  }
  const outcome = await ports.fetches.run(work.key, (left) => ports.files.fetch(request, left));
  work.report({ type: 'file-ended', inboundId, part, outcome });
}

export async function quarantineFiles(
  ports: OwnPorts,
  { message }: EffectNamed<'quarantine-files'>,
  work: ChannelWork,
): Promise<void> {
  await untilStored(
    ports,
    work,
    () => ports.quarantine.add({ kind: 'files', ...message }),
    () => work.report({ type: 'files-quarantined', inboundId: message.id }),
  );
}
