/**
 * Finds the owner of a channel: this node, another node, or a new claim. Any node takes any request; the owner decides. [architecture §4]
 *
 * An ask goes through rounds until an owner has answered it or its time is over. A round without an answer ends in one of three ways:
 * - no turn has seen the ask: the next round starts;
 * - the owner vanished while it handled the ask: the ask goes to the next owner under the same id, because the first insert of a message id
 *   wins and facts are idempotent; but to no third owner, which it may crash as well [faults: 152];
 * - a node can't own channels now: another is tried. If only that node is cut off, its lease is waited for. If no node can, the caller
 *   gets the refusal at once.
 *
 * If nobody answers after an owner vanished, or a send finds no owner, the caller gets `OwnerLost`: the store must show what happened, and
 * keeps the send for the next owner.
 */
import type { ChannelAsk, ChannelReplies, ChannelTell, ChannelRouter } from '../../actors/channel/asks.ts';
import { ActivationGone } from '../../actors/runtime/activation.ts';
import type { Clock } from '../kernel/clock.ts';
import {
  Fault,
  FencedError,
  OwnerLost,
  StoreUnavailable,
  asError,
  fault,
  faultRegistry,
} from '../kernel/faults.ts';
import type { FaultCode } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import type { Counters } from '../kernel/metrics.ts';
import type { Directory } from './directory.ts';
import type { Following } from './following.ts';
import type { Homes } from './homes.ts';
import type { Link } from './link.ts';
import type { Member } from './member.ts';
import type { Membership } from './membership.ts';
import { askHere, notOurs, tellHere } from './local.ts';
import type { ChannelHost } from './local.ts';
import { NotOwner } from './claims.ts';
import type { Claims } from './claims.ts';
import type { Placement } from './placement.ts';
import type { Refusal } from './wire.ts';

/**
 * Most time a client's send waits for an owner that may still come (a frozen one, until its lease ends); then the node that was asked
 * stores the send. [faults: 6]
 */
const sendPatienceMs = 5_000;
/** A dead owner is detected within milliseconds, so the first rounds are short. */
const firstRoundMs = 5;
const maxRoundMs = 100;
/** Owners that may vanish while they handle one ask. */
const maxLost = 2;

interface RouterOptions {
  host: ChannelHost;
  directory: Pick<Directory, 'remembered' | 'remember' | 'evict'>;
  claims: Pick<Claims, 'find' | 'free' | 'given'>;
  links: { get(incarnation: string): Pick<Link, 'ask' | 'send'> | undefined };
  membership: Pick<Membership, 'find' | 'refresh'>;
  placement: Pick<Placement, 'nodeFor'>;
  homes: Pick<Homes, 'givenTo' | 'leave'>;
  following: Pick<Following, 'sentHere'>;
  self: Member;
  counters: Counters;
  /** How long an ask looks for an owner: longer than a frozen owner keeps its lease. */
  askBudgetMs: number;
  /** Whether this node's lease is valid. */
  canOwn: () => boolean;
  /** Whether it ever was: then it will be valid again soon, or another node has taken the channels. */
  wasOwner: () => boolean;
  clock: Clock;
  log: Log;
}

/** `by`: the other node that the ask was sent to. */
type Outcome = { reply: unknown } | { refusal: Refusal; by?: string };

export class Router implements ChannelRouter {
  readonly #options: RouterOptions;
  readonly #resting = new Set<() => void>();
  #isLeaving = false;

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  /** The members have changed: asks that wait between two rounds continue now. */
  wakeWaiters(): void {
    for (const goOn of this.#resting) goOn();
  }

  /** This node stops: present and future asks do not wait for an owner any more. */
  leave(): void {
    this.#isLeaving = true;
    this.wakeWaiters();
  }

  /** Throws the owner's Fault, Fault `unavailable` or `overloaded` (nothing was done), or OwnerLost (the store decides). */
  async ask<A extends ChannelAsk>(channelId: string, ask: A): Promise<ChannelReplies[A['type']]> {
    const { clock, askBudgetMs, canOwn, wasOwner } = this.#options;
    const isSend = ask.type === 'send';
    const until = clock.monotonic() + (isSend ? Math.min(askBudgetMs, sendPatienceMs) : askBudgetMs);
    const unable = new Set<string>();
    let mayFindOwner = isSend; // no node has refused it: an owner may still be found
    const lost: (string | null)[] = [];
    let roundMs = firstRoundMs;
    while (!this.#isLeaving) {
      const outcome = await this.#round(channelId, ask, unable);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the owner answers each ask with the reply of its type
      if ('reply' in outcome) return outcome.reply as ChannelReplies[A['type']];
      const { refusal } = outcome;
      if (refusal.why === 'fault') {
        const refused = refusedBy(refusal);
        // A refusal by this owner does not show what the vanished owner did. [faults: I3]
        if (lost.length > 0 && refused.status >= 500) break;
        throw refused;
      }
      if (refusal.why === 'lost') lost.push(outcome.by ?? null);
      if (lost.length >= maxLost) break;
      const isCutOff = refusal.why === 'suspended' && !canOwn() && !(isSend && wasOwner());
      if (refusal.why === 'unavailable' || isCutOff) {
        mayFindOwner = false;
        break;
      }
      await this.#rest(roundMs);
      roundMs = Math.min(2 * roundMs, maxRoundMs);
      if (clock.monotonic() >= until) break;
    }
    // Whether a node is gone is known shortly after its link has closed.
    if (lost.length > 0) await this.#rest(maxRoundMs);
    if (lost.length > 0 || mayFindOwner)
      throw new OwnerLost('no owner of the channel has answered in time', {
        nodesGone: this.#countGone(lost),
        isInHand: lost.length > 0,
      });
    throw fault('unavailable');
  }

  #countGone(incarnations: readonly (string | null)[]): number {
    const { membership } = this.#options;
    return incarnations.filter((each) => each !== null && membership.find(each) === undefined).length;
  }

  tell(channelId: string, message: ChannelTell): void {
    const live = this.#options.host.live(channelId);
    if (live !== undefined) live.tell(message);
    else void this.#tellOwner(channelId, message);
  }

  /** An ask that reached this node, from a client or over a link. Throws defects; refusals are returned. */
  async here(channelId: string, ask: ChannelAsk): Promise<Outcome> {
    const { host, directory, homes, canOwn } = this.#options;
    const given = this.#givenTo(channelId);
    if (given !== null && host.live(channelId) === undefined)
      return { refusal: { why: 'moved', owner: given } };
    try {
      const reply = await askHere(host, channelId, ask);
      return reply === notOurs ? { refusal: { why: 'suspended' } } : { reply };
    } catch (error) {
      if (error instanceof Fault)
        return { refusal: { why: 'fault', code: error.code, details: error.details } };
      if (error instanceof NotOwner) {
        homes.leave(channelId);
        return { refusal: { why: 'moved', owner: error.owner } };
      }
      directory.evict(channelId);
      if (error instanceof ActivationGone) {
        await this.#giveBack(channelId);
        return { refusal: error.untouched ? { why: 'moved', owner: given } : { why: 'lost' } };
      }
      if (error instanceof FencedError) return { refusal: { why: 'lost' } };
      if (error instanceof StoreUnavailable)
        return { refusal: { why: canOwn() ? 'unavailable' : 'suspended' } };
      throw asError(error);
    }
  }

  /** A tell that reached this node: only `wake` activates a channel. `freedBy`: the node of an earlier build that sent it. */
  tellHere(channelId: string, message: ChannelTell, freedBy: string | null): void {
    const { host, directory, claims } = this.#options;
    if (freedBy !== null && message.type === 'wake') claims.given(channelId, freedBy);
    tellHere(host, channelId, message, () => directory.evict(channelId)); // another node has the channel, or the next sweep finds it
  }

  /** While this node drains, the store may still name it as the owner, because a release was lost: asks would come here for ever. */
  async #giveBack(channelId: string): Promise<void> {
    const { host, claims, self } = this.#options;
    if (self.draining && host.live(channelId) === undefined)
      await claims.free(channelId).catch(() => undefined);
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const goOn = (): void => {
        cancel();
        this.#resting.delete(goOn);
        resolve();
      };
      const cancel = this.#options.clock.after(ms, goOn);
      this.#resting.add(goOn);
    });
  }

  async #tellOwner(channelId: string, message: ChannelTell): Promise<void> {
    const { links, self, claims, directory, membership } = this.#options;
    // Nobody answers a tell, so an outdated entry would stand: each event of the endpoint would wait for a sweep.
    if (message.type === 'wake' && message.stored !== undefined) directory.evict(channelId);
    if (this.#remembered(channelId) === undefined) {
      const found = await claims.find(channelId).catch(() => null);
      if (found !== null && membership.find(found) !== undefined) directory.remember(channelId, found);
    }
    const owner = this.#ownerOf(channelId, new Set());
    if (owner === self.incarnation) this.tellHere(channelId, message, null);
    else if (owner !== null) links.get(owner)?.send({ f: 'tell', channelId, tell: message, frees: 'store' });
  }

  async #round(channelId: string, ask: ChannelAsk, unable: Set<string>): Promise<Outcome> {
    const { host, self, following } = this.#options;
    if (host.live(channelId) !== undefined) {
      if (ask.type === 'send') following.sentHere(channelId);
      return this.#learn(channelId, await this.here(channelId, ask));
    }
    const owner = this.#ownerOf(channelId, unable);
    if (owner === null) return { refusal: { why: 'unavailable' } };
    if (owner === self.incarnation) return this.#learn(channelId, await this.here(channelId, ask));
    const outcome = await this.#askPeer(owner, channelId, ask);
    if (!('refusal' in outcome) || outcome.refusal.why !== 'unavailable' || unable.has(owner)) return outcome;
    unable.add(owner); // once more: another node may take the channel, unless the refusing node owns it
    return { refusal: { why: 'moved', owner: null } };
  }

  async #askPeer(owner: string, channelId: string, ask: ChannelAsk): Promise<Outcome> {
    const { links, directory, counters } = this.#options;
    const link = links.get(owner);
    if (ask.type === 'send') counters.increment('sends_forwarded_total');
    const answer = link === undefined ? 'not-sent' : await link.ask({ channelId, ask });
    if (answer === 'not-sent' || answer === 'closed') {
      directory.evict(channelId);
      return { refusal: answer === 'closed' ? { why: 'lost' } : { why: 'moved', owner: null }, by: owner };
    }
    if ('reply' in answer) directory.remember(channelId, owner);
    return this.#learn(channelId, answer);
  }

  #remembered(channelId: string): string | undefined {
    const { directory, membership } = this.#options;
    const remembered = directory.remembered(channelId);
    return remembered !== undefined && membership.find(remembered) !== undefined ? remembered : undefined;
  }

  /** The node that this one gave the channel just now, if it still takes channels and is reached. */
  #givenTo(channelId: string): string | null {
    const { homes, placement } = this.#options;
    const given = homes.givenTo(channelId);
    if (given === undefined) return null;
    return placement.nodeFor(channelId)?.incarnation === given ? given : null;
  }

  /**
   * The incarnation that owns the channel as remembered, or that placement assigns; null: no node takes channels. Placement is right unless
   * members have just changed, and the assigned node answers who the owner is: so no ask waits for the store to be asked first.
   */
  #ownerOf(channelId: string, unable: ReadonlySet<string>): string | null {
    const placed = (): Member | null => this.#options.placement.nodeFor(channelId, unable);
    return this.#remembered(channelId) ?? placed()?.incarnation ?? null;
  }

  #learn(channelId: string, outcome: Outcome): Outcome {
    if (!('refusal' in outcome) || outcome.refusal.why === 'fault') return outcome;
    const { directory, membership } = this.#options;
    const owner = outcome.refusal.why === 'moved' ? outcome.refusal.owner : null;
    if (owner === null) directory.evict(channelId);
    else directory.remember(channelId, owner);
    if (owner !== null && membership.find(owner) === undefined)
      void membership.refresh().catch(() => undefined); // the owner may have just joined: the next round knows
    return outcome;
  }
}

function refusedBy({ code, details }: Extract<Refusal, { why: 'fault' }>): Fault {
  return fault(isFaultCode(code) ? code : 'internal', details);
}

function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(faultRegistry, code);
}
