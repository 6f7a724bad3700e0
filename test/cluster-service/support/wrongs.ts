/** What is wrong with one send, by what its client was told, what upstream received, and what is on record. [faults: I1 to I3] */
import type { LedgerEntry } from '../../support/sends.ts';
import type { World } from '../../support/world.ts';
import type { Ended } from './storm.ts';

/** `copies`: what upstream received of it, in turn. `resendAfterMs`: from a claim to the next. */
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
 * A call lasts until the next is due, so copies may come to upstream close together: two claims on record, far enough apart, tell that
 * nobody claimed beside another.
 */
async function areClaimedApart(
  { service }: Pick<World, 'service'>,
  messageId: string,
  resendAfterMs: number,
): Promise<boolean> {
  const { body } = await service.admin('GET', `/messages/${messageId}`);
  const { copies, calls }: { copies: number; calls: { at: string; outcome: string | null }[] } = body;
  // What was refused before is no copy.
  const claims = calls.filter(({ outcome }) => outcome !== 'deferred').map(({ at }) => Date.parse(at));
  const [first, second, ...more] = claims;
  if (copies !== 2 || first === undefined || second === undefined || more.length > 0) return false;
  return second - first >= resendAfterMs;
}
