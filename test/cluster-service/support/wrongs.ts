/** The violated invariants of one send, by the answer to its client, the calls that upstream received, and the record. [faults: I1 to I3] */
import type { LedgerEntry } from '../../support/sends.ts';
import type { World } from '../../support/world.ts';
import type { Ended } from './storm.ts';

/** `copies`: the calls that upstream received, in order. `resendAfterMs`: the required time between two claims. */
export async function findWrongs(
  world: Pick<World, 'service'>,
  send: Ended,
  copies: readonly LedgerEntry[],
  resendAfterMs: number,
): Promise<string[]> {
  const { recipient, status, code, messageId } = send;
  const [first, second] = copies;
  const apart = first === undefined || second === undefined ? Infinity : second.at - first.at;
  const id = messageId ?? first?.tag ?? null;
  const isSoon = apart < 0.8 * resendAfterMs;
  const isClaimedTwice = !isSoon || (id !== null && (await areClaimedApart(world, id, resendAfterMs)));
  const wrongs: [boolean, string][] = [
    [status === 'wrong' || status === 'failed', `${recipient} was answered ${code} ${status}`],
    [copies.length > 2, `${recipient} (${status}) got ${copies.length} copies`],
    [!isClaimedTwice, `${recipient} (${status}) got its copies ${apart} ms apart: two claimers`],
    [status === 'refused' && copies.length > 0, `${recipient} was refused (${code}) and got a copy`],
    [
      (status === 'sent' || status === 'queued') && copies.length === 0,
      `${recipient} (${status}) got no copy`,
    ],
  ];
  return wrongs.filter(([isWrong]) => isWrong).map(([, sentence]) => sentence);
}

/**
 * A call may last until the next copy is due, so two copies may reach upstream close together. Two claims on record, far enough apart,
 * show that no second owner made one of them.
 */
async function areClaimedApart(
  { service }: Pick<World, 'service'>,
  messageId: string,
  resendAfterMs: number,
): Promise<boolean> {
  const { body } = await service.admin('GET', `/messages/${messageId}`);
  const { copies, calls }: { copies: number; calls: { at: string; outcome: string | null }[] } = body;
  // A call that was deferred is no copy.
  const claims = calls.filter(({ outcome }) => outcome !== 'deferred').map(({ at }) => Date.parse(at));
  const [first, second, ...more] = claims;
  if (copies !== 2 || first === undefined || second === undefined || more.length > 0) return false;
  return second - first >= resendAfterMs;
}
