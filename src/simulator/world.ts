import { FaultBook } from './faults.ts';
import { Ledger } from './ledger.ts';
import type {
  AppSubscription,
  Business,
  Channel,
  Conversation,
  DialogCode,
  Media,
  Node,
  Person,
  ReviewScript,
  Sent,
  Targets,
  Signal,
} from './model.ts';
import { offerIn } from './pressed.ts';
import { settingsOf, type Profile, type Settings } from './settings.ts';
import { TokenBook } from './tokens.ts';
import { WebhooksOut } from './webhooks-out.ts';

const mediaKept = 20_000;
const attachmentsKept = 20_000;

/** The app's identity, chosen at the start; the control API can change it. */
type AppIdentity = { id: string; secret: string; readonly verifyToken: string };

/** Scripted answer to coming dialogs. With `times` 0 it applies without limit. */
export type DialogScript = {
  readonly decision: 'allow' | 'deny';
  readonly assets: readonly string[];
  readonly decline: readonly string[];
  readonly login: string | null;
  /** Scopes granted for some assets only. */
  readonly targets: Targets;
  times: number;
};

/** A stored attachment: of a page's own messages, or of its photo account's. Upstream forgets it after 90 days. */
type KeptAttachment = { readonly page: string; readonly isPhoto: boolean; readonly createdAt: number };

/** The whole state of the simulator, in memory. Times are unix milliseconds of `now()`, which the control API can advance. */
export class World {
  readonly app: AppIdentity;
  readonly settings: Settings;
  readonly tokens: TokenBook;
  readonly webhooks: WebhooksOut;
  readonly faults = new FaultBook(() => this.now());
  readonly sends: Ledger<Sent>;
  readonly nodes = new Map<string, Node>();
  readonly businesses = new Map<string, Business>();
  /** chatapp people by wa_id, and the wa_id by dialled number or by business-scoped user id. */
  readonly phonePeople = new Map<string, Person>();
  readonly dialled = new Map<string, string>();
  readonly subscriptions = new Map<string, AppSubscription>();
  readonly conversations = new Map<string, Conversation>();
  /** Marks as read and typing, oldest first. */
  readonly signals: Signal[] = [];
  readonly sentById = new Map<string, Sent>();
  readonly copies = new Map<string, number>();
  /** Codes of dialogs, before and after their exchange. */
  readonly codes = new Map<string, DialogCode>();
  /** Attachments that are stored for later sends, by id. */
  readonly attachments = new Map<string, KeptAttachment>();
  /** Ids of people with a role on the app: logins, and people who write. */
  readonly roles = new Set<string>();
  readonly timers = new Set<NodeJS.Timeout>();
  readonly scripts: DialogScript[] = [];
  readonly reviews: ReviewScript[] = [];
  readonly #initial: Settings;
  readonly #seed: (world: World) => void;
  refused = 0;
  mostCopies = 0;
  publicUrl = '';
  #clockAhead = 0;
  readonly #media: string[] = [];

  /** `seed` adds the initial businesses and people, at the start and after each reset. */
  constructor(
    app: AppIdentity,
    { profile, settings }: { readonly profile: Profile; readonly settings: Partial<Settings> },
    ledgerLimit: number,
    seed: (world: World) => void,
  ) {
    this.app = app;
    this.#initial = { ...settingsOf(profile), ...settings };
    this.#seed = seed;
    this.settings = { ...this.#initial };
    this.sends = new Ledger(ledgerLimit, (sent) => this.#forget(sent));
    this.tokens = new TokenBook(app, this.settings, () => this.now());
    this.webhooks = new WebhooksOut(app, this.settings, ledgerLimit, () => this.now());
    this.#begin();
  }

  now(): number {
    return Date.now() + this.#clockAhead;
  }

  advance(ms: number): void {
    this.#clockAhead += ms;
    this.webhooks.clockMoved();
  }

  /** Runs the act later, unless the world is reset or stopped before. */
  later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, ms);
    this.timers.add(timer);
  }

  /** The phone number, page or photoapp account with this id. Throws an Error for the control API otherwise. */
  channel(id: string | undefined): Channel {
    const node = this.nodes.get(id ?? '');
    if (node?.type === 'phone' || node?.type === 'page' || node?.type === 'photo') return node;
    throw new Error(`no phone number, page or photoapp account has the id ${String(id)}`);
  }

  conversation(channelId: string, personId: string): Conversation {
    const key = `${channelId}|${personId}`;
    const known = this.conversations.get(key);
    if (known) return known;
    const fresh: Conversation = {
      lastInboundAt: 0,
      lastSentAt: 0,
      exchangedAt: 0,
      blocked: false,
      owner: null,
      paceUntil: 0,
      said: [],
      unread: [],
      lastSentId: null,
      offer: null,
    };
    this.conversations.set(key, fresh);
    return fresh;
  }

  /** Notes that the business wrote to the person: by a send, or (null) outside the service. */
  noteSent(channelId: string, personId: string, id: string, sent: Sent | null): void {
    const conversation = this.conversation(channelId, personId);
    conversation.unread.push({ id, sent });
    conversation.lastSentId = id;
    conversation.lastSentAt = this.now();
    if (sent !== null) conversation.offer = offerIn(id, sent) ?? conversation.offer;
  }

  /** Media have a limit of their own: a load test with files must not fill the memory. */
  addMedia(media: Media): void {
    this.nodes.set(media.id, media);
    if (this.#media.push(media.id) > mediaKept) this.nodes.delete(this.#media.shift() ?? '');
  }

  keepAttachment(id: string, kept: KeptAttachment): void {
    this.attachments.set(id, kept);
    const [oldest] = this.attachments.keys();
    if (this.attachments.size > attachmentsKept && oldest !== undefined) this.attachments.delete(oldest);
  }

  /** The files that are still stored, oldest first. */
  files(): Media[] {
    return this.#media.map((id) => this.nodes.get(id)).filter((node) => node?.type === 'media');
  }

  /** How many accepted sends look like this one; see `copies` in CONTROL.md. */
  copiesOf(sent: Sent): number {
    return this.copies.get(copyKey(sent)) ?? 0;
  }

  /** Adds a send to the ledger and, if accepted, to its indexes. */
  record(sent: Sent): void {
    sent.n = this.sends.total;
    if (sent.outcome === 'refused') this.refused += 1;
    else this.#index(sent);
    this.sends.add(sent);
  }

  /** Restores the initial state. Pending work (timers, retries, held webhooks) is dropped. */
  reset(): void {
    this.stop();
    for (const part of [this.nodes, this.businesses, this.phonePeople, this.dialled, this.subscriptions])
      part.clear();
    for (const part of [this.conversations, this.sentById, this.copies, this.attachments, this.codes])
      part.clear();
    this.roles.clear();
    this.signals.length = 0;
    this.sends.clear();
    this.webhooks.reset();
    this.tokens.clear();
    this.faults.clear();
    this.scripts.length = 0;
    this.reviews.length = 0;
    this.#media.length = 0;
    this.refused = 0;
    this.mostCopies = 0;
    this.#clockAhead = 0;
    Object.assign(this.settings, this.#initial);
    this.#begin();
  }

  /** Cancels all timers. */
  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }

  #begin(): void {
    const { callback_url: callbackUrl } = this.settings;
    if (callbackUrl !== null) this.offerCallback(callbackUrl);
    this.#seed(this);
  }

  /**
   * A strict world only has this callback in the form of its dashboard. A lax one subscribes the app to every field of the three objects,
   * without a verification call.
   */
  offerCallback(callbackUrl: string): void {
    if (!this.settings.callback_subscribes) return;
    for (const object of ['whatsapp_business_account', 'page', 'instagram']) {
      const { verifyToken } = this.app;
      this.subscribeApp(object, { callbackUrl, verifyToken, fields: null });
    }
  }

  /** Replaces the app's subscription to the object: after refusals, too, it is active again. */
  subscribeApp(object: string, asked: Pick<AppSubscription, 'callbackUrl' | 'verifyToken' | 'fields'>): void {
    this.subscriptions.set(object, { ...asked, refusals: 0, isActive: true });
  }

  #index(sent: Sent): void {
    const key = copyKey(sent);
    const copies = (this.copies.get(key) ?? 0) + 1;
    this.copies.set(key, copies);
    this.mostCopies = Math.max(this.mostCopies, copies);
    if (sent.id === null) return;
    this.sentById.set(sent.id, sent);
    this.noteSent(sent.channel.id, sent.recipient, sent.id, sent);
  }

  #forget(sent: Sent): void {
    if (sent.outcome === 'refused' || sent.id === null) return;
    const key = copyKey(sent);
    const copies = (this.copies.get(key) ?? 1) - 1;
    if (copies > 0) this.copies.set(key, copies);
    else this.copies.delete(key);
    this.sentById.delete(sent.id);
    const pair = `${sent.channel.id}|${sent.recipient}`;
    const conversation = this.conversations.get(pair);
    // Unread messages from outside the service that are older than the dropped send are removed with it.
    const place = conversation?.unread.findIndex((message) => message.sent === sent) ?? -1;
    conversation?.unread.splice(0, place + 1);
    const isIdle = conversation?.unread.length === 0 && conversation.lastInboundAt === 0;
    if (isIdle && !conversation.blocked && conversation.owner === null) this.conversations.delete(pair);
  }
}

function copyKey(sent: Sent): string {
  return sent.tag ?? `${sent.channel.id}|${sent.recipient}|${sent.text ?? sent.type}`;
}
