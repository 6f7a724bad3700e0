/** A node that is asked, with its own router and host; the test scripts what it learns of the others. */
import type { ActorKind, Ownership } from '../../../actors/runtime/actor.ts';
import type { ChannelAsk, ChannelTell } from '../../../actors/channel/asks.ts';
import type { ChannelMessage } from '../../../actors/channel/messages.ts';
import { Host } from '../../../actors/runtime/host.ts';
import type { Answer } from '../../../src/ownership/link.ts';
import type { ChannelHost } from '../../../src/ownership/local.ts';
import { Homes } from '../../../src/ownership/homes.ts';
import type { Member } from '../../../src/ownership/member.ts';
import { Router } from '../../../src/ownership/router.ts';
import type { Frame } from '../../../src/ownership/wire.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import type { Log } from '../../../src/kernel/log.ts';
import { FakeClock } from '../../support/fake-clock.ts';

export const channelId = 'channel-1';
const leaseTtlMs = 10_000;

/** The behaviour of a node that gets an ask; `dies`: its link closes, and it is gone. null: there is no link to it. */
export type Behaviour = Answer | 'dies' | null;

export interface Seen {
  /** In the cache before the first ask. */
  remembered: string | null;
  /** The owner by the store, which only a tell asks; undefined: the first of the other live nodes. */
  found: string | null | Error | undefined;
  /** Members only after a look into Redis; an error: it does not answer. */
  latecomer: string | Error;
  /** The nodes that placement chooses, in this order. */
  placed: string[];
  /** For how long the others still count as members after their links have closed. */
  goneAfterMs: number;
  canOwn: boolean;
  wasOwner: boolean;
  draining: boolean;
  askBudgetMs: number;
  /** How this node becomes the owner. */
  ownership: Ownership;
  releases: () => Promise<void>;
  /** Whether nothing is in flight in the channel's actor here. */
  isQuiet: boolean;
}

/** Answers every ask with `here`, and records what it gets. */
function answering(heard: string[], isQuiet: boolean): ActorKind<unknown, ChannelMessage, unknown> {
  const kind: ActorKind<object, ChannelMessage, number> = {
    load: () => Promise.resolve({}),
    decide(_state, message, { ask }) {
      heard.push(message.type);
      return ask === null ? [] : [ask];
    },
    async perform(asks, work) {
      for (const ask of asks) work.answer(ask, 'here');
    },
    wakeAt: () => null,
    alarm: { type: 'alarm' },
    drain: { type: 'drain' },
    isQuiet: () => isQuiet,
    isIdle: () => true,
  };
  return kind;
}

export const granting: Ownership = {
  acquire: () => Promise.resolve({ epoch: 1, isValid: () => true, isSure: () => true }),
  release: () => Promise.resolve(),
};

export function refusing(error: Error): Ownership {
  return { ...granting, acquire: () => Promise.reject(error) };
}

function aMember(incarnation: string): Member {
  const url = `wss://${incarnation}:1`;
  return { nodeId: incarnation, incarnation, url, startedAt: 0, draining: false, leaseTtlMs };
}

/** Owns nothing at first. The first live one of the others is the owner unless the test says otherwise. */
export class Asked {
  readonly clock = new FakeClock();
  readonly #live: Map<string, Behaviour>;
  readonly #members: Set<string>;
  readonly #memory = new Map<string, string>();
  readonly #seen: Seen;
  /** Who got the ask, which ask, and when. */
  readonly given: string[] = [];
  readonly asks: unknown[] = [];
  readonly givenAt: number[] = [];
  /** Frames to other nodes that need no answer. */
  readonly sent: [string, Frame][] = [];
  /** What the channel's actor got here. */
  readonly heard: string[] = [];
  /** The channels that other nodes have woken here. */
  readonly wokenBy: [string, string][] = [];
  /** How often the store was asked for the owner. */
  looks = 0;
  /** How often Redis was asked for the members. */
  looksAtMembers = 0;
  /** Sends that reached the live channel here. */
  sentHere = 0;
  forwarded = 0;
  readonly homes = new Homes({ self: { incarnation: 'self' }, clock: this.clock });
  readonly logged: string[] = [];
  readonly log: Log = makeLog('error', { write: (line) => void this.logged.push(line) });
  readonly host: ChannelHost;
  readonly router: Router;

  constructor(others: Record<string, Behaviour>, seen: Partial<Seen> = {}) {
    this.#live = new Map(Object.entries(others));
    this.#seen = {
      remembered: null,
      found: undefined,
      latecomer: '',
      placed: Object.keys(others),
      goneAfterMs: 0,
      canOwn: true,
      wasOwner: true,
      draining: false,
      askBudgetMs: leaseTtlMs + 5_000,
      ownership: granting,
      releases: () => Promise.resolve(),
      isQuiet: true,
      ...seen,
    };
    this.#members = new Set(['self', ...this.#live.keys()]);
    if (typeof seen.latecomer === 'string') this.#members.delete(seen.latecomer);
    if (typeof seen.remembered === 'string') this.#memory.set(channelId, seen.remembered);
    this.host = new Host({
      kind: answering(this.heard, this.#seen.isQuiet),
      ownership: this.#seen.ownership,
      clock: this.clock,
      mailboxCapacity: 10,
      idleAfterMs: 600_000,
      onFailure: () => undefined,
    });
    this.router = this.#makeRouter();
  }

  get remembered(): string | undefined {
    return this.#memory.get(channelId);
  }

  /** The outcome of the ask within a minute. */
  async outcome(ask: ChannelAsk): Promise<unknown> {
    const asking = this.router.ask(channelId, ask).catch((error: unknown) => error);
    await this.clock.pass(60_000);
    return asking;
  }

  /** The outcome, and after how many ms. */
  async outcomeIn(ask: ChannelAsk): Promise<[outcome: unknown, ms: number]> {
    const asking = this.router
      .ask(channelId, ask)
      .catch((error: unknown) => error)
      .then((outcome): [unknown, number] => [outcome, this.clock.monotonic()]);
    await this.clock.pass(60_000);
    return asking;
  }

  /** The outcome of the ask if the asked node leaves a moment later. */
  async outcomeOfLeaving(ask: ChannelAsk): Promise<unknown> {
    const asking = this.router.ask(channelId, ask).catch((error: unknown) => error);
    await this.clock.pass(1);
    this.router.leave();
    return asking;
  }

  behave(other: string, behaviour: Behaviour): void {
    this.#live.set(other, behaviour);
  }

  async tell(message: ChannelTell): Promise<void> {
    this.router.tell(channelId, message);
    await this.clock.pass(1);
  }

  #makeRouter(): Router {
    const { clock, host } = this;
    const { askBudgetMs, canOwn, wasOwner, draining, placed, releases } = this.#seen;
    return new Router({
      host,
      directory: {
        remembered: (channel) => this.#memory.get(channel),
        remember: (channel, incarnation) => void this.#memory.set(channel, incarnation),
        evict: (channel) => void this.#memory.delete(channel),
      },
      claims: {
        find: async () => this.#find(),
        free: releases,
        given: (channel, by) => void this.wokenBy.push([channel, by]),
      },
      links: { get: (incarnation) => this.#linkTo(incarnation) },
      membership: {
        find: (incarnation) => (this.#members.has(incarnation) ? aMember(incarnation) : undefined),
        refresh: async () => this.#refresh(),
      },
      placement: {
        nodeFor: (_channel, except) => {
          const [node] = placed.filter((each) => this.#members.has(each) && except?.has(each) !== true);
          return node === undefined ? null : aMember(node);
        },
      },
      homes: this.homes,
      following: { sentHere: () => void (this.sentHere += 1) },
      counters: { increment: () => void (this.forwarded += 1) },
      self: { ...aMember('self'), draining },
      askBudgetMs,
      canOwn: () => canOwn,
      wasOwner: () => wasOwner,
      clock,
      log: this.log,
    });
  }

  #find(): string | null {
    this.looks += 1;
    const { found } = this.#seen;
    if (found instanceof Error) throw found;
    return found === undefined ? ([...this.#live.keys()][0] ?? null) : found;
  }

  #refresh(): void {
    this.looksAtMembers += 1;
    const { latecomer } = this.#seen;
    if (latecomer instanceof Error) throw latecomer;
    this.#members.add(latecomer);
  }

  #linkTo(incarnation: string) {
    const behaviour = this.#live.get(incarnation) ?? null;
    if (behaviour === null) return undefined;
    return {
      ask: (asked: unknown): Promise<Answer> => {
        this.given.push(incarnation);
        this.asks.push(asked);
        this.givenAt.push(this.clock.monotonic());
        if (behaviour === 'dies') this.#dies(incarnation);
        return Promise.resolve(behaviour === 'dies' ? 'closed' : behaviour);
      },
      send: (frame: Frame) => void this.sent.push([incarnation, frame]),
    };
  }

  #dies(incarnation: string): void {
    this.#live.delete(incarnation);
    this.clock.after(this.#seen.goneAfterMs, () => this.#members.delete(incarnation));
  }
}
