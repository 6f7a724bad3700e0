/**
 * What a key or a person can write to the audit log. Without a bound, whoever stole a key pushes its traces out of the log by changing
 * settings back and forth. [operator-interface §3; faults: 235]
 *
 * - Equal changes of one object by one actor from one address are one entry a day, with their number.
 * - An actor has `burst` other entries at once, then one each three minutes; further ones are one entry a day for each action, with
 *   their number alone.
 *
 * Per node: n nodes write n times as much, which is still little.
 */
import { dayMs, minuteMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { idFrom } from '../../kernel/ids.ts';
import { lruCache } from '../../kernel/lru-cache.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';
import type { AuditEntry } from './entity.ts';

const burst = 200;
const everyMs = 3 * minuteMs;
/** Actors, and equal changes, that a node remembers. */
const remembered = 10_000;

export class AuditFolding {
  readonly #places: TokenBuckets;
  readonly #known = lruCache<true>(remembered);

  constructor(clock: Clock) {
    this.#places = new TokenBuckets({ burst, perSecond: 1_000 / everyMs, clock, names: remembered });
  }

  /** The entry to add: itself, or one that the store merges with others. */
  fold(entry: AuditEntry): AuditEntry {
    if (entry.actor !== 'key' && entry.actor !== 'person') return entry;
    const { accountId, actor, actorName, action } = entry;
    const whose = [accountId ?? '', actor, actorName ?? ''];
    const day = String(Math.floor(entry.createdAt / dayMs));
    const own = { ...entry, id: idOf(entry, whose, day) };
    if (this.#known.get(own.id) === true) return own;
    if (this.#places.take(whose.join(' ')) > 0) {
      const id = idFrom('audit, many', ...whose, action, day);
      return { ...entry, id, subject: null, before: null, after: null };
    }
    this.#known.set(own.id, true);
    return own;
  }
}

/** An entry without a before and after is an event of its own. */
function idOf(entry: AuditEntry, whose: readonly string[], day: string): string {
  const { id, action, subject, before, after, address } = entry;
  if (before === null || after === null) return id;
  const what = [action, subject ?? '', JSON.stringify(before), JSON.stringify(after), address ?? ''];
  return idFrom('audit, equal', ...whose, ...what, day);
}
