/**
 * The members of the cluster: each node announces itself and looks the others up. Missing information changes nothing: while Redis does not
 * answer, all members stay; after it comes back empty, they have the time of a lease to announce themselves again. An announcement counts
 * only with a node's proof, and while that node keeps announcing itself. [faults: 121]
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { lruCache } from '../kernel/lru-cache.ts';
import { keys, script } from './keys.ts';
import type { Script } from './keys.ts';
import { parseAnnouncement, writeAnnouncement } from './announcement.ts';
import type { Announcement } from './announcement.ts';
import type { Member } from './member.ts';
import { RecentAnnouncements } from './recent-announcements.ts';

const deadStayListedMs = 60_000;
const announcementsPerLease = 2;
/** More entries than any cluster has, restarted nodes included. Each refused entry costs an HMAC per look-up. [faults: 204] */
const maxListed = 1_000;
/** In bytes; a node's own entry has a few hundred. */
const longestEntry = 4_096;
const notAuthentic =
  'announced in Redis without the proof of our CLUSTER_SECRET: its CLUSTER_SECRET differs, or it is of another build, or no node';

interface MembershipOptions {
  redis: Redis;
  self: Member;
  /** The cluster secret: proves that a node of the cluster wrote an announcement. */
  secret: string;
  everyMs: number;
  clock: Clock;
  log: Log;
  /**
   * `gone`: members whose lease ended or that are not listed any more, those that died before this node started among them. Called only
   * when something has changed.
   */
  onChange: (change: { joined: Member[]; gone: Member[] }) => void;
  /** Whether a link to it is open: then it is alive, whatever Redis has of its lease. */
  isLinked: (incarnation: string) => boolean;
}

/** An entry of one look-up. */
interface Listed {
  /** Its key in Redis, whatever the announcement contains. */
  incarnation: string;
  announcement: string;
  hasLease: boolean;
}

interface Seen {
  member: Member;
  alive: boolean;
}

export class Membership {
  readonly #options: MembershipOptions;
  readonly #members: Script;
  /** Since when (monotonic ms) a member is not listed at all. */
  readonly #absentSince = new Map<string, number>();
  #live = new Map<string, Member>();
  /** Incarnations that were reported as gone and are still listed. */
  #dead = new Set<string>();
  #refreshing: Promise<void> = Promise.resolve();
  #nextRefresh: Promise<void> | null = null;
  #cancel: () => void = () => undefined;
  #stopped = false;
  readonly #recent: RecentAnnouncements;
  #announcedAt = -Infinity;
  #announcements = 0;
  /**
   * The proven announcements of the last look-up, so that unchanged ones are not verified again: there are several look-ups per
   * announcement.
   */
  #proven = new Map<string, Announcement>();
  /** Members whose announcements were refused and logged. */
  readonly #refused = lruCache<true>(maxListed);

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#recent = new RecentAnnouncements(options);
    this.#members = script(options.redis, 'members', 2);
    this.#live.set(options.self.incarnation, options.self);
  }

  /** This node is the first. */
  live(): Member[] {
    return [...this.#live.values()];
  }

  /** The members that take channels. */
  placeable(): Member[] {
    return this.live().filter((member) => !member.draining);
  }

  find(incarnation: string): Member | undefined {
    return this.#live.get(incarnation);
  }

  /** Never rejects: while Redis is away, it is asked again. */
  async start(): Promise<void> {
    await this.announce().catch(() => undefined); // the look-up below reports the error
    await this.refresh().catch((error: unknown) => this.#refreshFailed(error));
    this.#schedule();
  }

  /** Announces this node to the others; again when it drains. Rejects when Redis does not answer; look-ups repeat it. */
  async announce(): Promise<void> {
    const { redis, self, secret, clock } = this.#options;
    this.#announcements += 1;
    const announcement = writeAnnouncement(secret, { member: self, count: this.#announcements });
    await redis.hset(keys.members, self.incarnation, announcement);
    this.#announcedAt = clock.monotonic();
  }

  /** A peer drains. It says so over its link, because Redis may be away. */
  drains(incarnation: string): void {
    const member = this.#live.get(incarnation);
    if (member === undefined || member.draining || incarnation === this.#options.self.incarnation) return;
    const draining = { ...member, draining: true };
    this.#live.set(incarnation, draining);
    this.#options.onChange({ joined: [draining], gone: [] });
  }

  /** A peer is known to be gone before its lease ended. */
  drop(incarnation: string): void {
    const member = this.#live.get(incarnation);
    if (member === undefined || incarnation === this.#options.self.incarnation) return;
    this.#live.delete(incarnation);
    this.#dead.add(incarnation);
    this.#options.onChange({ joined: [], gone: [member] });
  }

  /** Deletes the lease of a dead incarnation, so that nobody waits for its end. Rejects when Redis does not answer. */
  async endLease(incarnation: string): Promise<void> {
    await this.#options.redis.del(keys.lease(incarnation));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#refreshing;
    const { redis, self, log } = this.#options;
    await redis
      .hdel(keys.members, self.incarnation)
      .catch((error: unknown) => log.warn({ error: asError(error) }, 'membership.not-ended'));
  }

  /** A look-up that starts after this call; further calls until then share it. Rejects when Redis does not answer. */
  refresh(): Promise<void> {
    this.#nextRefresh ??= this.#refreshing.then(() => {
      this.#nextRefresh = null;
      const refreshed = this.#refreshNow();
      this.#refreshing = refreshed.catch(() => undefined);
      return refreshed;
    });
    return this.#nextRefresh;
  }

  async #refreshNow(): Promise<void> {
    if (this.#stopped) return;
    const { self } = this.#options;
    const answer = await this.#members(
      keys.members,
      keys.died,
      keys.leasePrefix,
      deadStayListedMs,
      maxListed,
      longestEntry,
    );
    const listed = this.#seenIn(parseListed(answer));
    const own = listed.find(({ member }) => member.incarnation === self.incarnation);
    this.#settle(listed);
    // Redis came back empty, or this node began to drain while Redis was away.
    const isOutdated = own?.member.draining !== self.draining;
    if (!this.#stopped && (isOutdated || this.#isDue())) await this.announce();
  }

  #isDue(): boolean {
    const { self, clock } = this.#options;
    return clock.monotonic() - this.#announcedAt >= self.leaseTtlMs / announcementsPerLease;
  }

  #seenIn(listed: readonly Listed[]): Seen[] {
    const now = this.#options.clock.monotonic();
    const seen: Seen[] = [];
    const proven = new Map<string, Announcement>();
    for (const entry of listed) {
      const proved = this.#authentic(entry);
      if (proved === null) continue;
      proven.set(entry.announcement, proved);
      const isRecent = this.#recent.isRecent(proved, now);
      seen.push({
        member: proved.member,
        alive: (entry.hasLease && isRecent) || this.#livesOn(proved.member),
      });
    }
    this.#proven = proven;
    this.#recent.refreshed(now);
    return seen;
  }

  /** A member whose link is open has lost Redis, but is alive. */
  #livesOn({ incarnation }: Member): boolean {
    return this.#live.has(incarnation) && this.#options.isLinked(incarnation);
  }

  /** null: written by a stranger, a node with another secret or another build, or stored under another key. */
  #authentic({ incarnation, announcement }: Listed): Announcement | null {
    const { secret, log } = this.#options;
    const proved = this.#proven.get(announcement) ?? parseAnnouncement(secret, announcement);
    if (proved !== null && proved.member.incarnation === incarnation) return proved;
    if (!this.#refused.has(incarnation))
      log.warn({ member: incarnation.slice(0, 100), why: notAuthentic }, 'member.refused');
    this.#refused.set(incarnation, true);
    return null;
  }

  #settle(listed: readonly Seen[]): void {
    const { self, onChange } = this.#options;
    const seen = new Map<string, Member>([[self.incarnation, self]]);
    for (const { member, alive } of listed)
      if (alive && member.incarnation !== self.incarnation)
        seen.set(member.incarnation, this.#asSaidByItself(member));
    const known = new Set(listed.map(({ member }) => member.incarnation));
    for (const member of this.#live.values())
      if (!known.has(member.incarnation) && this.#isExcused(member)) seen.set(member.incarnation, member);
    for (const incarnation of this.#absentSince.keys())
      if (known.has(incarnation) || !seen.has(incarnation)) this.#absentSince.delete(incarnation);
    const joined = [...seen.values()].filter((member) => isNews(this.#live.get(member.incarnation), member));
    const gone = [...this.#live.values()].filter((member) => !seen.has(member.incarnation));
    gone.push(...this.#newlyDead(listed));
    this.#live = seen;
    if (joined.length + gone.length > 0) onChange({ joined, gone });
  }

  /** Those listed as dead that this node has neither known as alive nor reported. */
  #newlyDead(listed: readonly Seen[]): Member[] {
    const { self } = this.#options;
    const dead = listed.filter(({ member, alive }) => !alive && member.incarnation !== self.incarnation);
    const isReported = ({ incarnation }: Member): boolean =>
      this.#dead.has(incarnation) || this.#live.has(incarnation);
    const news = dead.map(({ member }) => member).filter((member) => !isReported(member));
    this.#dead = new Set(dead.map(({ member }) => member.incarnation));
    return news;
  }

  /** A member that has said over its link that it drains stays draining: without Redis it can't announce that there. */
  #asSaidByItself(member: Member): Member {
    const isDraining = this.#live.get(member.incarnation)?.draining === true;
    return isDraining ? { ...member, draining: true } : member;
  }

  /** Not listed: Redis may have lost everything; the member announces itself again with its next look-up. */
  #isExcused(member: Member): boolean {
    const now = this.#options.clock.monotonic();
    const since = this.#absentSince.get(member.incarnation) ?? now;
    this.#absentSince.set(member.incarnation, since);
    return now - since < member.leaseTtlMs;
  }

  #schedule(): void {
    const { clock, everyMs } = this.#options;
    this.#cancel = clock.after(everyMs, () => {
      this.refresh()
        .catch((error: unknown) => this.#refreshFailed(error))
        .finally(() => {
          if (!this.#stopped) this.#schedule();
        });
    });
  }

  #refreshFailed(error: unknown): void {
    this.#options.log.debug({ error: asError(error) }, 'membership.look-failed'); // the connection logs the outage
  }
}

function isNews(known: Member | undefined, member: Member): boolean {
  return known === undefined || known.draining !== member.draining;
}

function parseListed(answer: unknown): Listed[] {
  if (!Array.isArray(answer)) return [];
  const listed: Listed[] = [];
  for (let index = 0; index + 2 < answer.length; index += 3)
    listed.push({
      incarnation: String(answer[index]),
      announcement: String(answer[index + 1]),
      hasLease: answer[index + 2] === '1',
    });
  return listed;
}
