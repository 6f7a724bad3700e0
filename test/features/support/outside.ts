/** Everything outside the features, small and scripted: time, the channels' owners, upstream and its parser. */
import type { ChannelAsk, ChannelReplies, ChannelTell, ChannelRouter } from '../../../actors/channel/asks.ts';
import type { SendReply } from '../../../src/rules/messages/send-reply.ts';
import type { ChannelProfile } from '../../../src/rules/channels/profile.ts';
import { chatappProfile } from '../../support/profiles.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import type { ChannelFact, ParsedPost } from '../../../src/rules/messages/facts.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { fault } from '../../../src/kernel/faults.ts';
import type {
  NewTemplate,
  TemplateUpstream,
  UpstreamTemplate,
} from '../../../src/upstream/template-calls.ts';
import type { UpstreamState } from '../../../src/rules/channels/health.ts';
import type { HealthUpstream, Probed } from '../../../src/upstream/health-calls.ts';
import type { Signal, Signalled, SignalUpstream } from '../../../src/upstream/signal-calls.ts';
import type { FileToUpload, UploadUpstream } from '../../../src/upstream/upload-calls.ts';
import type { ProfileUpstream, SenderProfile } from '../../../src/upstream/profile-calls.ts';
import type {
  PickedAssets,
  Registration,
  UpstreamAdmin,
  UpstreamAsset,
} from '../../../src/upstream/connecting-calls.ts';
import type { Unusable } from '../../../src/rules/channels/unusable.ts';
import type { UpstreamParser } from '../../../src/upstream/parse.ts';
import type { WebhookTestPoster } from '../../../src/rules/outside.ts';

/** Time stands still until a test moves it; a wait ends at once and moves the time by its duration. */
export class TestClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  /** How far a step of the wall clock has set it ahead of the time of decisions, in ms. */
  wallAhead = 0;

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now + this.wallAhead;
  }

  monotonic(): number {
    return this.#now;
  }

  after(delayMs: number, fire: () => void): () => void {
    this.#now += delayMs;
    queueMicrotask(fire);
    return () => undefined;
  }

  pass(ms: number): void {
    this.#now += ms;
  }
}

type Asked = { channelId: string; ask: ChannelAsk };

/** The channels' owners: they answer every send with `sendReply`, accept every fact, and record what they get. */
export class TestRouter implements ChannelRouter {
  readonly asked: Asked[] = [];
  readonly told: { channelId: string; message: ChannelTell }[] = [];
  sendReply: () => Promise<SendReply> = async () => ({ status: 'sent' });
  /** What an owner answers to a look at its channel. */
  inspection: ChannelReplies['inspect'] = {
    epoch: 7,
    sendsOpen: 0,
    sendsWaiting: 0,
    deliveriesPending: 0,
    factsHeld: 0,
    filesOpen: 0,
  };
  /** Of the facts of each turn, this many are not accepted. */
  dropped = 0;
  /** Channels whose owner is unreachable, with the error that is thrown then. */
  readonly unreachable = new Map<string, Error>();
  /** Runs before every answer; its error is thrown. */
  beforeAnswer: (channelId: string, ask: ChannelAsk) => Promise<void> = async () => undefined;

  /** Answers nothing before this many asks wait at once. The returned function tells how many waited at most. */
  answersOnce(waiting: number): () => number {
    let [atOnce, most] = [0, 0];
    let open = (): void => undefined;
    const isOpen = new Promise<void>((resolve) => (open = resolve));
    this.beforeAnswer = async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      if (atOnce === waiting) open();
      await isOpen;
      atOnce -= 1;
    };
    return () => most;
  }

  async ask<A extends ChannelAsk>(channelId: string, ask: A): Promise<ChannelReplies[A['type']]> {
    this.asked.push({ channelId, ask });
    const failure = this.unreachable.get(channelId);
    if (failure !== undefined) throw failure;
    await this.beforeAnswer(channelId, ask);
    return this.#reply<A['type']>(ask.type, ask);
  }

  #reply<T extends ChannelAsk['type']>(type: T, ask: ChannelAsk): Promise<ChannelReplies[T]> {
    const replies: { [K in ChannelAsk['type']]: () => Promise<ChannelReplies[K]> } = {
      send: this.sendReply,
      'take-facts': async () => ({
        taken: ask.type === 'take-facts' ? ask.facts.length : 0,
        dropped: this.dropped,
      }),
      reload: async () => ({ status: 'reloaded' }),
      'retry-delivery': async () => ({ status: 'retrying' }),
      emit: async () => ({ status: 'emitted' }),
      inspect: async () => this.inspection,
    };
    return replies[type]();
  }

  tell(channelId: string, message: ChannelTell): void {
    this.told.push({ channelId, message });
  }

  /** The sends that reached an owner, in order. */
  get sends(): { channelId: string; messageId: string; recipient: string; text: string }[] {
    return this.asked.flatMap(({ channelId, ask }) =>
      ask.type === 'send'
        ? [
            {
              channelId,
              messageId: ask.messageId,
              recipient: ask.recipient,
              text: ask.content.type === 'text' ? ask.content.text : ask.content.type,
            },
          ]
        : [],
    );
  }

  /** The facts that reached an owner, in order. */
  get facts(): { channelId: string; facts: ChannelFact[] }[] {
    return this.asked.flatMap(({ channelId, ask }) =>
      ask.type === 'take-facts' ? [{ channelId, facts: ask.facts }] : [],
    );
  }

  /** How often the channel's owner was told to reload its settings. */
  reloadsOf(channelId: string): number {
    return this.asked.filter((each) => each.channelId === channelId && each.ask.type === 'reload').length;
  }
}

/** Upstream's setup calls: returns the assets that a test put under a code; its subscribe call fails as often as a test says. */
export class TestUpstream implements UpstreamAdmin {
  readonly assets = new Map<string, UpstreamAsset[] | Error>();
  readonly subscribed: string[] = [];
  readonly unsubscribed: string[] = [];
  failuresLeft = 0;
  failure: Error = new Error('upstream is down');

  /** The types whose settings are missing. */
  readonly unconfigured = new Set<ChannelType>();

  isConfigured(channelType: ChannelType): boolean {
    return !this.unconfigured.has(channelType);
  }

  dialogUrl(request: { channelType: ChannelType; redirectUri: string; state: string }): string {
    return `https://dialog.example/?${new URLSearchParams(request).toString()}`;
  }

  /** The codes of the calls. */
  readonly codes: string[] = [];
  beforeAssets: () => Promise<void> = async () => undefined;

  /** Granted, but not usable. */
  unusable: Unusable[] = [];

  async readAssets({ code }: { code: string }): Promise<PickedAssets> {
    this.codes.push(code);
    await this.beforeAssets();
    const assets = this.assets.get(code) ?? [];
    if (assets instanceof Error) throw assets;
    return { assets, unusable: this.unusable };
  }

  readonly refusedTokens = new Set<string>();

  /** The channels whose tokens were probed. */
  readonly tokensAsked: string[] = [];

  async isTokenRefused({ id }: Channel): Promise<boolean> {
    this.tokensAsked.push(id);
    return this.refusedTokens.has(id);
  }

  /** By channel: the end of its token; 0, without end, unless given. */
  readonly tokenEnds = new Map<string, number>();
  /** By channel: what upstream gives in place of its token; refused unless given. */
  readonly renewals = new Map<string, { token: string; expiresAt: number } | Error>();
  readonly renewed: string[] = [];

  async tokenEnd({ id }: Pick<Channel, 'id'>): Promise<number> {
    return this.tokenEnds.get(id) ?? 0;
  }

  async renewToken({ id }: Pick<Channel, 'id'>): Promise<{ token: string; expiresAt: number } | 'refused'> {
    this.renewed.push(id);
    const renewal = this.renewals.get(id) ?? 'refused';
    if (renewal instanceof Error) throw renewal;
    return renewal;
  }

  async subscribe(channel: Channel): Promise<void> {
    this.#failIfTold();
    this.subscribed.push(channel.id);
  }

  /** Outcomes of the next registrations; then the number is ready. `calls`: whether upstream's limited call is made. */
  readonly registrations: (Registration & { calls?: boolean })[] = [];
  readonly registered: string[] = [];

  async register({ id }: Channel, mayCall: () => Promise<boolean>): Promise<Registration> {
    const { calls = true, ...outcome } = this.registrations.shift() ?? { isReady: true as const };
    if (calls && !(await mayCall())) return { isReady: false, hurdle: 'limited', words: null };
    this.registered.push(id);
    return outcome;
  }

  async unsubscribe(channel: Channel): Promise<void> {
    this.#failIfTold();
    this.unsubscribed.push(channel.id);
  }

  #failIfTold(): void {
    if (this.failuresLeft === 0) return;
    this.failuresLeft -= 1;
    throw this.failure;
  }
}

/** The templates of business accounts in upstream's lists; `failure` replaces the answer. */
export class TestTemplates implements TemplateUpstream {
  readonly listed = new Map<string, UpstreamTemplate[]>();
  readonly asked: string[] = [];
  /** The business accounts whose lists were read. */
  readonly listedOf: string[] = [];
  failure: Error | null = null;
  /** Runs before every answer. */
  beforeAnswer: () => Promise<void> = async () => undefined;
  /** Upstream's status of a template that is created now. */
  createdStatus = 'PENDING';
  #made = 0;

  async list({ subscribedAsset }: Channel): Promise<UpstreamTemplate[]> {
    this.listedOf.push(subscribedAsset ?? '');
    const listed = [...(this.listed.get(subscribedAsset ?? '') ?? [])];
    await this.#answer('list');
    return listed;
  }

  async create(channel: Channel, template: NewTemplate) {
    await this.#answer(`create ${template.name}`);
    this.#made += 1;
    const answer = {
      upstreamId: `9007199254740993${this.#made}`,
      status: this.createdStatus,
      category: template.category,
    };
    const { name, language, components, parameterFormat } = template;
    const plain = { name, language, components, parameterFormat, quality: null, rejectedReason: null };
    const asset = channel.subscribedAsset ?? '';
    this.listed.set(asset, [...(this.listed.get(asset) ?? []), { ...plain, ...answer }]);
    return answer;
  }

  /** The changes of each edit. */
  readonly edits: unknown[] = [];

  async edit(_: Channel, upstreamId: string, change: unknown): Promise<void> {
    this.edits.push(change);
    await this.#answer(`edit ${upstreamId}`);
  }

  async remove(_: Channel, name: string, upstreamId: string | null): Promise<void> {
    await this.#answer(`remove ${name} ${upstreamId ?? 'everywhere'}`);
  }

  async #answer(ask: string): Promise<void> {
    this.asked.push(ask);
    await this.beforeAnswer();
    if (this.failure !== null) throw this.failure;
  }
}

/** Upstream's possible reports about a channel. */
export const well: UpstreamState = { token: 'valid', isSubscribed: true, qualityRating: null };
export const unsubscribed: UpstreamState = { ...well, isSubscribed: false };
export const refused: UpstreamState = { token: 'refused', isSubscribed: null, qualityRating: null };

/** Upstream's reports about channels: no problem unless a test says otherwise. */
export class TestHealth implements HealthUpstream {
  readonly states = new Map<string, UpstreamState | Error>();
  readonly probed: string[] = [];

  readonly profiles = new Map<string, ChannelProfile>();
  /** Of these channels upstream does not say whether they have echoes. */
  readonly silentOnEchoes = new Set<string>();
  readonly conditions = new Map<string, Partial<Pick<Probed, 'problems' | 'lookedFor'>>>();
  /** Runs before every answer. */
  beforeAnswer: () => Promise<unknown> = async () => undefined;

  async probe({ id }: Channel): Promise<Probed> {
    this.probed.push(id);
    await this.beforeAnswer();
    const state = this.states.get(id) ?? well;
    if (state instanceof Error) throw state;
    const { problems = [], lookedFor = [] } = this.conditions.get(id) ?? {};
    const profile = this.profiles.get(id) ?? null;
    return { state, profile, saysEchoes: !this.silentOnEchoes.has(id), problems, lookedFor };
  }
}

/** Upstream's sender profiles: null unless a test sets one. */
export class TestProfiles implements ProfileUpstream {
  readonly shown = new Map<string, SenderProfile>();
  readonly asked: string[] = [];
  failure: Error | null = null;
  /** Runs before every answer. */
  beforeAnswer: () => Promise<void> = async () => undefined;

  async readProfile({ id }: Channel, userId: string): Promise<SenderProfile | null> {
    this.asked.push(`${id} ${userId}`);
    await this.beforeAnswer();
    if (this.failure !== null) throw this.failure;
    return this.shown.get(userId) ?? null;
  }
}

/** Takes every signal. */
export class TestSignals implements SignalUpstream {
  readonly taken: string[] = [];

  async signal({ id }: Channel, signal: Signal, { upstreamId, person }: Signalled): Promise<void> {
    this.taken.push(`${id} ${signal} ${upstreamId} ${person}`);
  }
}

/** Webhook receivers, which answer a test after `tookMs` with `result`. */
export class TestWebhooks implements WebhookTestPoster {
  readonly posted: Parameters<WebhookTestPoster['post']>[0][] = [];
  readonly #clock: TestClock;
  result: Awaited<ReturnType<WebhookTestPoster['post']>> = { ok: true, status: 200 };
  tookMs = 0;

  constructor(clock: TestClock) {
    this.#clock = clock;
  }

  async post(post: Parameters<WebhookTestPoster['post']>[0]) {
    this.posted.push(post);
    this.#clock.pass(this.tookMs);
    return this.result;
  }
}

/** Parses any bytes as `post`; null: they are not from upstream. */
export class TestParser implements UpstreamParser {
  post: ParsedPost | null = null;

  async parse(): Promise<ParsedPost> {
    if (this.post === null) throw fault('bad_request', { why: 'no JSON of theirs' });
    return this.post;
  }
}

/** An asset of this channel type, as upstream lists it. Page and business account are derived from the identity unless given. */
export function assetOf(
  channelType: ChannelType,
  identity: string,
  on: { businessAccountId?: string; pageId?: string } = {},
): UpstreamAsset {
  const name = `Name of ${identity}`;
  const token = `token-of-${identity}`;
  const pageId = on.pageId ?? `page-${identity}`;
  const businessAccountId = on.businessAccountId ?? `waba-${identity}`;
  const profiles: Record<ChannelType, ChannelProfile> = {
    chatapp: chatappProfile({ phoneNumberId: identity, phoneNumber: '+49 170 0000001', businessAccountId }),
    photoapp: { type: 'photoapp', accountId: identity, username: `user_${identity}`, pageId },
    pagechat: { type: 'pagechat', pageId },
  };
  return { channelType, identity, name, token, profile: profiles[channelType] };
}

/** Upstream's place for files: it keeps their bytes. */
export class TestUploads implements UploadUpstream {
  readonly taken: { channelId: string; name: string | null; bytes: Buffer }[] = [];
  /** Uploads that have begun. */
  begun = 0;

  async upload({ id }: Channel, { filename, content }: FileToUpload): Promise<string> {
    this.begun += 1;
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    this.taken.push({ channelId: id, name: filename, bytes: Buffer.concat(pieces) });
    return `uploaded-${this.taken.length}`;
  }
}
