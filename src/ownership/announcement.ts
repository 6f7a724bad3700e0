import { createHmac } from 'node:crypto';
import { isSameSecret } from '../kernel/ids.ts';
import type { Member } from './member.ts';

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
  if (typeof proof !== 'string' || !isSameSecret(proof, makeProof(secret, member, count))) return null;
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

function isWebSocketUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'wss:';
}
