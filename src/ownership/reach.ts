/** Whether peers on other machines can reach this node, as far as addresses show it. [faults: 300] */
import { isLoopback } from '../kernel/loopback.ts';
import type { Member } from './member.ts';

/** A setting of this node that keeps a peer from reaching it. */
export interface Unreachable {
  setting: 'INTERNAL_HOST' | 'INTERNAL_URL';
  peer: Member;
}

interface OwnAddress {
  /** The address on which the internal listener listens. */
  internalHost: string;
  /** The announced address. */
  url: string;
}

/** null: nothing speaks against it. While every peer is on loopback too, all nodes may be on one machine. */
export function unreachableBeside(
  { internalHost, url }: OwnAddress,
  peers: readonly Member[],
): Unreachable | null {
  const peer = peers.find((each) => !isLoopbackUrl(each.url));
  if (peer === undefined) return null;
  const host = internalHost.includes(':') ? `[${internalHost}]` : internalHost;
  if (isLoopback(host)) return { setting: 'INTERNAL_HOST', peer };
  return isLoopbackUrl(url) ? { setting: 'INTERNAL_URL', peer } : null;
}

function isLoopbackUrl(url: string): boolean {
  return isLoopback(new URL(url).hostname);
}
