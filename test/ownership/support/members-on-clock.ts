/** A node that looks for members, with a clock that the test moves; of Redis it has only what looks and announcements use. */
import { Redis } from 'ioredis';
import { writeAnnouncement } from '../../../src/ownership/announcement.ts';
import type { Member } from '../../../src/ownership/member.ts';
import { Membership } from '../../../src/ownership/membership.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { FakeClock } from '../../support/fake-clock.ts';

export const secret = 'a-cluster-secret-of-the-tests-0001';
export const leaseTtlMs = 10_000;
/** Interval of the looks. */
export const everyMs = 500;

export const aMember = (nodeId: string): Member => ({
  nodeId,
  incarnation: `${nodeId}:1`,
  url: `wss://${nodeId}:1`,
  startedAt: 5,
  draining: false,
  leaseTtlMs,
});

export const nameOf = ({ nodeId, draining }: Member): string => `${nodeId}${draining ? ' drains' : ''}`;

export class MembersOnClock {
  readonly clock = new FakeClock();
  readonly self = aMember('self');
  /** The entry of each incarnation in Redis. */
  readonly listed = new Map<string, { said: string; hasLease: boolean }>();
  /** `lost`: it executes commands but never answers. */
  isAway: boolean | 'lost' = false;
  /** An answer instead of a list. */
  answered: unknown = null;
  readonly linked = new Set<string>();
  readonly changes: { joined: string[]; gone: string[] }[] = [];
  readonly announced: string[] = [];
  readonly asked: unknown[][] = [];
  /** Its log lines. */
  readonly told: Record<string, unknown>[] = [];
  readonly membership: Membership;

  constructor() {
    this.membership = new Membership({
      redis: this.#redis(),
      self: this.self,
      secret,
      everyMs,
      clock: this.clock,
      log: makeLog('debug', { write: (line) => void this.told.push(JSON.parse(line)) }),
      onChange: ({ joined, gone }) =>
        void this.changes.push({ joined: joined.map(nameOf), gone: gone.map(nameOf) }),
      isLinked: (incarnation) => this.linked.has(incarnation),
    });
  }

  live(): string[] {
    return this.membership.live().map(nameOf);
  }

  /** A member that has announced itself this often. */
  announces(member: Member, { count = 1, hasLease = true, by = secret } = {}): void {
    const said = writeAnnouncement(by, { member, count });
    this.listed.set(member.incarnation, { said, hasLease });
  }

  #redis(): Redis {
    const client = new Redis({ lazyConnect: true });
    return Object.assign(client, {
      defineCommand: (name: string) =>
        void Reflect.set(client, name, (...args: unknown[]) =>
          this.#answer([name, ...args], () =>
            name === 'trunkline_members' ? (this.answered ?? this.#list()) : 1,
          ),
        ),
      hset: async (key: string, incarnation: string, said: string) => {
        await this.#answer(['hset', key, incarnation], () => 1);
        this.announced.push(said);
        return 1;
      },
      hdel: (...args: unknown[]) => this.#answer(['hdel', ...args], () => 1),
      del: (...args: unknown[]) => this.#answer(['del', ...args], () => 1),
    });
  }

  async #answer(asks: unknown[], value: () => unknown): Promise<unknown> {
    if (this.isAway === true) throw new Error('Command timed out');
    this.asked.push(asks);
    if (this.isAway === 'lost') throw new Error('Command timed out');
    return value();
  }

  #list(): string[] {
    return [...this.listed].flatMap(([incarnation, { said, hasLease }]) => [
      incarnation,
      said,
      hasLease ? '1' : '0',
    ]);
  }
}
