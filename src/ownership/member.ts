/** One run of one node, as it announces itself in Redis. A restarted node is a new incarnation. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { lruCache } from '../kernel/lru-cache.ts';

export interface Member {
  nodeId: string;
  incarnation: string;
  /** `wss://host:port` of its internal listener. */
  url: string;
  /** Wall ms of that node. */
  startedAt: number;
  draining: boolean;
  /** Its lease never lives longer than this. */
  leaseTtlMs: number;
}

/** A member as it announces itself. `count` grows with each announcement, so that a replayed one proves nothing. */
export interface Announcement {
  member: Member;
  count: number;
}

/** The announcement as stored in Redis: readable, and signed with the cluster secret, so that only nodes can announce an address. */
export function writeAnnouncement(secret: string, { member, count }: Announcement): string {
  return JSON.stringify({ ...member, count, proof: makeProof(secret, member, count) });
}

/** null: not written by a node that knows the secret, or written in the format of another build. */
export function parseAnnouncement(secret: string, text: string): Announcement | null {
  const fields = fieldsIn(text);
  const { nodeId, incarnation, url, startedAt, draining, leaseTtlMs, count, proof } = fields;
  if (typeof nodeId !== 'string' || typeof incarnation !== 'string' || typeof url !== 'string') return null;
  if (typeof startedAt !== 'number' || typeof leaseTtlMs !== 'number' || typeof count !== 'number')
    return null;
  const member = { nodeId, incarnation, url, startedAt, draining: draining === true, leaseTtlMs };
  if (typeof proof !== 'string' || !isSame(proof, makeProof(secret, member, count))) return null;
  return isWebSocketUrl(url) ? { member, count } : null;
}

function fieldsIn(text: string): Record<string, unknown> {
  try {
    const value: object | null = JSON.parse(text);
    return { ...value };
  } catch {
    return {};
  }
}

function makeProof(secret: string, member: Member, count: number): string {
  const { nodeId, incarnation, url, startedAt, draining, leaseTtlMs } = member;
  const signedText = JSON.stringify([
    'member',
    nodeId,
    incarnation,
    url,
    startedAt,
    draining,
    leaseTtlMs,
    count,
  ]);
  return createHmac('sha256', secret).update(signedText).digest('hex');
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function isWebSocketUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'wss:';
}

/** The address of a node's internal listener, as other nodes dial it. `INTERNAL_URL` may say http, which earlier builds required. */
export function linkUrl(internalUrl: string): string {
  const { protocol, hostname, port } = new URL(internalUrl);
  const defaultPort = protocol === 'https:' ? '443' : '80';
  return `wss://${hostname}:${port === '' ? defaultPort : port}`;
}

/** The address to announce when this node listens on every address and `INTERNAL_URL` is unset: right for nodes on one machine. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** An incarnation is one run of a node, and only nodes that know the secret can announce one. */
const maxIncarnations = 10_000;
/** A node that has not announced itself for two leases is silent; it announces itself twice per lease. */
const leasesOfSilence = 2;

interface Heard {
  count: number;
  /** Time without a new announcement, counted only while Redis answers the look-ups. */
  silentMs: number;
}

/** Whether a node still announces itself: its count must rise. Judged by this node's look-ups alone, never by another node's clock. */
export class RecentAnnouncements {
  readonly #maxRefreshMs: number;
  readonly #heard = lruCache<Heard>(maxIncarnations);
  #refreshedAt = 0;

  constructor({ everyMs }: { everyMs: number }) {
    this.#maxRefreshMs = 2 * everyMs;
  }

  isRecent({ member, count }: Announcement, now: number): boolean {
    const heard = this.#heard.get(member.incarnation);
    if (heard === undefined || count > heard.count) {
      this.#heard.set(member.incarnation, { count, silentMs: 0 });
      return true;
    }
    heard.silentMs += this.#sinceRefresh(now);
    return heard.silentMs < leasesOfSilence * member.leaseTtlMs;
  }

  /** A look-up of the members has ended. */
  refreshed(now: number): void {
    this.#refreshedAt = now;
  }

  /** Capped: while Redis or this node was unresponsive, no announcement could arrive. */
  #sinceRefresh(now: number): number {
    return Math.min(now - this.#refreshedAt, this.#maxRefreshMs);
  }
}
