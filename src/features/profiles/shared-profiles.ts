/**
 * Cache of sender profiles in Redis, shared by all nodes. Entries are sealed and bound to account, channel and person; their key names do
 * not reveal the person. If Redis is unreachable, or the value under a key does not open, the profile counts as not cached. [faults: 123]
 */
import { createHmac } from 'node:crypto';
import type { Redis } from 'ioredis';
import { sealContext } from '../../kernel/sealed.ts';
import type { Sealer } from '../../kernel/sealed.ts';
import type { Clock } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import type { SenderProfile } from '../../upstream/profile-calls.ts';

/** A cached profile; null: upstream shows none. */
export interface KnownProfile {
  profile: SenderProfile | null;
}

/** Cache key of a profile. A scoped id means a different person on each channel. */
export interface ProfileSubject {
  accountId: string;
  channelId: string;
  /** Part of the key, because upstream may show more after a reconnect. */
  connectedAt: number | null;
  userId: string;
}

/** Profile cache shared by all nodes. Never rejects: while it is out of reach, every look-up misses and nothing is stored. */
export interface SharedProfiles {
  /** undefined: not cached, or expired. */
  recall(subject: ProfileSubject): Promise<KnownProfile | undefined>;
  remember(subject: ProfileSubject, known: KnownProfile, ttlMs: number): Promise<void>;
}

interface SharedProfilesOptions {
  /** Must reject commands at once while Redis is unreachable. */
  redis: Redis;
  /** HMAC key of the entry names; the same on every node. */
  secret: string;
  sealer: Sealer;
  clock: Clock;
  log: Log;
}

/** More than any cached profile takes. */
const maxBytes = 65_536;

/** The sealed entry. It holds its own expiry (`until`, ms), because Redis may keep a key longer than its PX says. */
interface Kept extends KnownProfile {
  until: number;
}

export function makeSharedProfiles({
  redis,
  secret,
  sealer,
  clock,
  log,
}: SharedProfilesOptions): SharedProfiles {
  return {
    async recall(subject) {
      const { name, context } = makeEntryName(secret, subject);
      try {
        const sealed = await redis.getBuffer(name);
        if (sealed === null || sealed.length > maxBytes) return undefined;
        const kept = parseKept(Buffer.from(sealer.open(sealed, context)).toString());
        return kept === null || kept.until <= clock.now() ? undefined : { profile: kept.profile };
      } catch (error) {
        log.debug({ error: asError(error) }, 'profile.not-recalled');
        return undefined;
      }
    },
    async remember(subject, { profile }, ttlMs) {
      const { name, context } = makeEntryName(secret, subject);
      const kept: Kept = { profile, until: clock.now() + ttlMs };
      const sealed = sealer.seal(Buffer.from(JSON.stringify(kept)), context);
      await redis
        .set(name, Buffer.from(sealed), 'PX', ttlMs)
        .catch((error: unknown) => log.debug({ error: asError(error) }, 'profile.not-remembered'));
    },
  };
}

function makeEntryName(
  secret: string,
  { accountId, channelId, connectedAt, userId }: ProfileSubject,
): { name: string; context: string } {
  const context = sealContext.profile([accountId, channelId, String(connectedAt), userId]);
  return { name: `trunkline:profile:${createHmac('sha256', secret).update(context).digest('hex')}`, context };
}

/** Returns null if another version of the service wrote the entry in a form that this one does not know. */
function parseKept(text: string): Kept | null {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('profile' in value) || !('until' in value))
    return null;
  const { profile, until } = value;
  if (typeof profile !== 'object' || typeof until !== 'number') return null;
  return { profile: profile === null ? null : { ...profile }, until };
}
