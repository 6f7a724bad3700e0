/**
 * The way to a channel's owner: here, there, or claim it. Any node takes any request; the owner decides. [architecture §4]
 *
 * An ask goes round until an owner has answered it or the patience ends. A round ends without an answer in one of two ways:
 * nobody looked at the ask (go on), or the owner vanished with it in its hands. Then too the ask goes to the next owner, under
 * the same id: the first insert of a message id wins, facts are idempotent, so that asking twice does nothing twice. Only if
 * nobody answers at all does the caller learn `OwnerLost`: the store must say what happened.
 */
import type {
  ChannelAsk,
  ChannelMessage,
  ChannelReplies,
  ChannelTell,
} from '../../actors/channel/messages.ts';
import { ActivationGone } from '../../actors/runtime/activation.ts';
import type { Host } from '../../actors/runtime/host.ts';
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
import type { ChannelRouter } from '../use-cases/ports.ts';
import type { Directory } from './directory.ts';
import type { Links } from './links.ts';
import type { Membership } from './membership.ts';
import { NotOwner } from './ownership.ts';
import { placeOf } from './placement.ts';
import type { Refusal } from './wire.ts';

const patienceMs = 10_000;
const roundMs = 10;

export interface RouterOptions {
  host: Host<unknown, ChannelMessage, unknown>;
  directory: Directory;
  links: Links;
  membership: Membership;
  session: string;
  clock: Clock;
}

type Outcome = { reply: unknown } | { refusal: Refusal };

export class Router implements ChannelRouter {
  readonly #options: RouterOptions;

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  async ask<A extends ChannelAsk>(channelId: string, ask: A): Promise<ChannelReplies[A['type']]> {
    const { clock } = this.#options;
    const until = clock.monotonic() + patienceMs;
    let touched = false;
    let why: Refusal['why'] = 'moved';
    while (clock.monotonic() < until) {
      const outcome = await this.#round(channelId, ask);
      // The owner answers each ask with the reply of its type: the one place where that is taken on trust.
      if ('reply' in outcome) return outcome.reply as ChannelReplies[A['type']];
      const { refusal } = outcome;
      why = refusal.why;
      if (refusal.why === 'fault') throw refusedBy(refusal);
      if (refusal.why === 'lost') touched = true;
      if (refusal.why === 'unavailable') break;
      await new Promise<void>((resolve) => clock.after(roundMs, resolve));
    }
    if (touched) throw new OwnerLost(`the owner of the channel vanished (${why})`);
    throw fault('unavailable');
  }

  tell(channelId: string, message: ChannelTell): void {
    const { host, links, directory, session } = this.#options;
    const live = host.live(channelId);
    if (live !== undefined) {
      live.tell(message);
      return;
    }
    void this.#ownerOf(channelId)
      .catch(() => null)
      .then((owner) => {
        if (owner === null) return;
        if (owner !== session) links.get(owner)?.send({ f: 'tell', channelId, tell: message });
        else if (message.type === 'wake')
          host.activate(channelId).then(
            (it) => it.tell(message),
            () => directory.evict(channelId),
          );
      });
  }

  /** An ask that reached this node, from a client or over a link. */
  async here(channelId: string, ask: ChannelAsk): Promise<Outcome> {
    const { host, directory } = this.#options;
    try {
      const activation = host.live(channelId) ?? (await host.activate(channelId));
      return { reply: await activation.ask(ask) };
    } catch (error) {
      if (error instanceof Fault) return { refusal: { why: 'fault', code: error.code, facts: error.facts } };
      if (error instanceof ActivationGone)
        return { refusal: error.untouched ? { why: 'moved', owner: null } : { why: 'lost' } };
      if (error instanceof NotOwner) return { refusal: { why: 'moved', owner: error.owner } };
      directory.evict(channelId);
      if (error instanceof FencedError) return { refusal: { why: 'lost' } };
      if (error instanceof StoreUnavailable) return { refusal: { why: 'unavailable' } };
      throw asError(error);
    }
  }

  async #round(channelId: string, ask: ChannelAsk): Promise<Outcome> {
    const { host, directory, links, session } = this.#options;
    if (host.live(channelId) !== undefined) return this.here(channelId, ask);
    let owner: string | null;
    try {
      owner = await this.#ownerOf(channelId);
    } catch {
      return { refusal: { why: 'unavailable' } };
    }
    if (owner === null || owner === session) {
      const outcome = await this.here(channelId, ask);
      this.#learn(channelId, outcome);
      return outcome;
    }
    const link = links.get(owner);
    const answer = link === undefined ? 'not-sent' : await link.ask({ channelId, ask });
    if (answer === 'not-sent' || answer === 'closed') {
      directory.evict(channelId);
      return { refusal: answer === 'closed' ? { why: 'lost' } : { why: 'moved', owner: null } };
    }
    if ('refusal' in answer && answer.refusal.why !== 'fault') directory.evict(channelId);
    this.#learn(channelId, answer);
    return answer;
  }

  /** Who owns it, or who should: the remembered owner, the one in Redis, or where placement says. */
  async #ownerOf(channelId: string): Promise<string | null> {
    const { directory, membership } = this.#options;
    const remembered = directory.remembered(channelId);
    if (remembered !== undefined && membership.find(remembered) !== undefined) return remembered;
    const found = await directory.find(channelId);
    if (found !== null && membership.find(found) !== undefined) return found;
    if (found !== null) await membership.look().catch(() => undefined); // a node that joined a moment ago
    return placeOf(channelId, membership.placeable())?.session ?? null;
  }

  #learn(channelId: string, outcome: Outcome): void {
    if (!('refusal' in outcome) || outcome.refusal.why !== 'moved') return;
    if (outcome.refusal.owner === null) this.#options.directory.evict(channelId);
    else this.#options.directory.remember(channelId, outcome.refusal.owner);
  }
}

function refusedBy({ code, facts }: Extract<Refusal, { why: 'fault' }>): Fault {
  return fault(isFaultCode(code) ? code : 'internal', facts);
}

function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(faultRegistry, code);
}
