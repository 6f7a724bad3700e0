/** An upstream that accepts, refuses, hangs and loses answers, and sends its webhooks with delays. */
import type { UpstreamCall } from '../../../src/rules/outside.ts';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import type { ChannelFact } from '../../../src/rules/messages/facts.ts';
import type { UpstreamOutcome } from '../../../src/rules/messages/upstream-outcome.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import type { Random } from './random.ts';

export interface Call {
  messageId: string;
  /** What really happened, whatever the caller was answered. */
  became: 'accepted' | 'refused' | 'deferred' | 'lost';
  heard: 'nothing' | UpstreamOutcome['outcome'];
  upstreamId: string;
  startedAt: number;
}

export const ourAppId = '700100200300400';

export class ModelUpstream {
  readonly calls: Call[] = [];
  /** From this time on nothing fails. */
  isHealthy = false;
  /** The last message of each conversation, which a read covers. */
  readonly #latest = new Map<string, string>();
  readonly #clock: FakeClock;
  readonly #random: Random;
  readonly #type: ChannelType;
  readonly #tell: (fact: ChannelFact) => void;

  constructor(clock: FakeClock, random: Random, type: ChannelType, tell: (fact: ChannelFact) => void) {
    this.#clock = clock;
    this.#random = random;
    this.#type = type;
    this.#tell = tell;
  }

  send(call: UpstreamCall): Promise<UpstreamOutcome> {
    const { messageId, timeoutMs } = call;
    const upstreamId = `up-${this.calls.length + 1}`;
    const became = this.#fate();
    const made: Call = { messageId, became, heard: 'nothing', upstreamId, startedAt: this.#clock.now() };
    this.calls.push(made);
    const tookMs = this.#random.chance(0.7) ? this.#random.between(0, 200) : this.#random.between(0, 3_000);
    if (became === 'accepted') this.#clock.after(tookMs / 2, () => this.#take(call, upstreamId));
    const answer =
      tookMs > timeoutMs || became === 'lost' || this.#isAnswerLost() ? lost : this.#answer(made);
    return new Promise((resolve) => {
      this.#clock.after(Math.min(tookMs, timeoutMs), () => {
        made.heard = answer.outcome;
        resolve(answer);
      });
    });
  }

  #fate(): Call['became'] {
    if (this.isHealthy || this.#random.chance(0.6)) return 'accepted';
    return this.#random.pick(['refused', 'deferred', 'deferred', 'lost', 'lost']);
  }

  #isAnswerLost(): boolean {
    return !this.isHealthy && this.#random.chance(0.2);
  }

  #answer({ became, upstreamId }: Call): UpstreamOutcome {
    if (became === 'accepted') return { outcome: 'accepted', upstreamId };
    if (became === 'refused') return { outcome: 'refused', error: 'refused', errorCode: 131026 };
    const pause = this.#random.pick(['none', 'pair', 'channel'] as const);
    return { outcome: 'deferred', error: 'too fast', errorCode: 131056, pause };
  }

  #take(call: UpstreamCall, upstreamId: string): void {
    this.#latest.set(call.recipient, upstreamId);
    this.#report(call, upstreamId);
  }

  /** Sends statuses and echoes, each late, lost or doubled by chance. */
  #report(call: UpstreamCall, upstreamId: string): void {
    if (this.#random.chance(0.15)) return; // sends nothing for this one
    const latest = (): string => this.#latest.get(call.recipient) ?? upstreamId;
    for (const make of factsOf(this.#type, call, upstreamId, latest)) {
      if (this.#random.chance(0.2)) continue;
      const times = this.#random.chance(0.2) ? 2 : 1;
      for (let time = 0; time < times; time += 1) {
        const delayMs = this.#random.chance(0.8)
          ? this.#random.between(0, 400)
          : this.#random.between(0, 5_000);
        this.#clock.after(delayMs, () => this.#tell(make(this.#clock.now())));
      }
    }
  }
}

const lost: UpstreamOutcome = { outcome: 'unknown', error: 'no answer' };

type MakeFact = (now: number) => ChannelFact;

function factsOf(
  type: ChannelType,
  call: UpstreamCall,
  upstreamId: string,
  latest: () => string,
): MakeFact[] {
  const { recipient, messageId: tag, content } = call;
  const routed = { channelType: type, identity: 'the-channel' };
  if (type === 'chatapp')
    return (['sent', 'delivered', 'read', 'failed'] as const).map((status) => (at) => ({
      kind: 'receipt',
      ...routed,
      status,
      upstreamId,
      tag,
      recipient,
      at,
      errors: [],
    }));
  const mine = type === 'pagechat' ? { appId: ourAppId, tag } : { appId: null, tag: null };
  const echo: MakeFact = (at) => ({
    kind: 'echo',
    ...routed,
    ...mine,
    upstreamId,
    recipient,
    at,
    caption: null,
    parts: [{ type: 'text', text: content.type === 'text' ? content.text : '' }],
  });
  const receipt =
    (status: 'delivered' | 'read'): MakeFact =>
    (at) => {
      const point =
        type === 'pagechat' ? { upTo: at, upToUpstreamId: null } : { upTo: null, upToUpstreamId: latest() };
      return { kind: 'conversation-receipt', ...routed, status, recipient, ...point, at };
    };
  return type === 'pagechat' ? [echo, receipt('delivered'), receipt('read')] : [echo, receipt('read')];
}
