/**
 * Sender profiles that all nodes remember together, in Redis: sealed and bound to account, channel and person, under a name that
 * does not reveal the person. Without Redis, or with a foreign value under that name, a profile counts as unknown. [faults: 123]
 */
import { createHmac } from 'node:crypto';
import type { Redis } from 'ioredis';
import { sealContext } from '../../domain/accounts/sealed.ts';
import type { Sealer } from '../../domain/accounts/sealed.ts';
import type { Clock } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import type { KnownProfile, ProfileSubject, SharedProfiles } from '../../use-cases/ports/profiles.ts';

export interface SharedProfilesOptions {
  /** Refuses at once when Redis is away. */
  redis: Redis;
  /** The same on every node. */
  secret: string;
  sealer: Sealer;
  clock: Clock;
  log: Log;
}

/** Above any profile that is remembered. */
const maxBytes = 65_536;

/** As it is sealed: Redis may keep it longer than it was told. */
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

/** null: of another build. */
function parseKept(text: string): Kept | null {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('profile' in value) || !('until' in value))
    return null;
  const { profile, until } = value;
  if (typeof profile !== 'object' || typeof until !== 'number') return null;
  return { profile: profile === null ? null : { ...profile }, until };
}
