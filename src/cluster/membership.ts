/** Who is in the cluster: each node announces itself and looks around. Redis silent: what was known stays known. */
import type { Redis } from 'ioredis';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import { keys } from './keys.ts';
import { script } from './script.ts';
import type { Script } from './script.ts';

/** One run of one node. A restarted node is a new session. */
export interface Member {
  nodeId: string;
  session: string;
  /** `ws://host:port` of its internal listener. */
  url: string;
  startedAt: number;
  draining: boolean;
}

export interface MembershipOptions {
  redis: Redis;
  self: Member;
  everyMs: number;
  clock: Clock;
  log: Log;
  /** `gone`: their lease ended. Called only when something changed. */
  onChange(change: { joined: Member[]; gone: Member[] }): void;
}

export class Membership {
  readonly #options: MembershipOptions;
  readonly #members: Script;
  #live = new Map<string, Member>();
  #cancel: () => void = () => undefined;
  #stopped = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#members = script(options.redis, 'members', 1);
    this.#live.set(options.self.session, options.self);
  }

  /** This node first among them. */
  live(): Member[] {
    return [...this.#live.values()];
  }

  /** Those that take channels. */
  placeable(): Member[] {
    return this.live().filter((member) => !member.draining);
  }

  find(session: string): Member | undefined {
    return this.#live.get(session);
  }

  async start(): Promise<void> {
    await this.announce();
    await this.look();
    this.#schedule();
  }

  /** Tells the others about this node (again: it drains now). */
  async announce(): Promise<void> {
    const { redis, self } = this.#options;
    await redis.hset(keys.members, self.session, JSON.stringify(self));
  }

  /** A peer was seen dead before its lease ended. */
  drop(session: string): void {
    const member = this.#live.get(session);
    if (member === undefined || session === this.#options.self.session) return;
    this.#live.delete(session);
    this.#options.onChange({ joined: [], gone: [member] });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    const { redis, self } = this.#options;
    await redis.hdel(keys.members, self.session).catch(() => undefined);
  }

  /** One look; also called when a link says that something changed. */
  async look(): Promise<void> {
    const { self } = this.#options;
    const answer = await this.#members(keys.members, keys.leasePrefix, keys.ownedPrefix);
    const seen = new Map<string, Member>([[self.session, self]]);
    let known = false;
    for (const { member, alive } of pairs(answer)) {
      if (member.session === self.session) known = true;
      else if (alive) seen.set(member.session, member);
    }
    const joined = [...seen.values()].filter((member) => !same(this.#live.get(member.session), member));
    const gone = [...this.#live.values()].filter((member) => !seen.has(member.session));
    this.#live = seen;
    if (!known && !this.#stopped) await this.announce(); // Redis came back empty
    if (joined.length + gone.length > 0) this.#options.onChange({ joined, gone });
  }

  #schedule(): void {
    const { clock, everyMs, log } = this.#options;
    this.#cancel = clock.after(everyMs, () => {
      this.look()
        .catch((error: unknown) => log.warn({ error: asError(error) }, 'membership.look-failed'))
        .finally(() => {
          if (!this.#stopped) this.#schedule();
        });
    });
  }
}

function same(known: Member | undefined, member: Member): boolean {
  return known !== undefined && known.draining === member.draining;
}

function pairs(answer: unknown): { member: Member; alive: boolean }[] {
  if (!Array.isArray(answer)) return [];
  const found: { member: Member; alive: boolean }[] = [];
  for (let index = 0; index + 1 < answer.length; index += 2) {
    const member = parseMember(String(answer[index]));
    if (member !== null) found.push({ member, alive: answer[index + 1] === '1' });
  }
  return found;
}

function parseMember(text: string): Member | null {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return null;
  const { nodeId, session, url, startedAt, draining } = value as Record<string, unknown>;
  if (typeof nodeId !== 'string' || typeof session !== 'string' || typeof url !== 'string') return null;
  return { nodeId, session, url, startedAt: Number(startedAt), draining: draining === true };
}
