/** What people write to the channel, and what is told of messages that are not ours. */
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import type { ChannelFact, InboundMessage, Part } from '../../../src/rules/messages/facts.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import { fileOf } from './files.ts';
import type { ModelMessage, Step } from './model-steps.ts';
import type { Random } from './random.ts';

export class ModelPeople {
  readonly #type: ChannelType;
  readonly #clock: FakeClock;
  readonly #random: Random;
  /** In upstream's order. */
  readonly written: InboundMessage[] = [];

  constructor(type: ChannelType, clock: FakeClock, random: Random) {
    this.#type = type;
    this.#clock = clock;
    this.#random = random;
  }

  /** Now and then upstream repeats a fact. */
  inbound({ from, files, texts }: ModelMessage): InboundMessage {
    const [again] = this.written;
    if (again !== undefined && this.#random.chance(0.2)) return again;
    // Not in the order of its earlier webhooks.
    const upstreamId = `in-${this.#random.between(0, 9_999)}-${this.written.length}`;
    const parts = [
      ...Array.from({ length: files }, (_, n): Part => fileOf(`${upstreamId}/${n}`)),
      ...Array.from({ length: files === 0 ? 1 : texts }, (_, n): Part => ({
        type: 'text',
        text: `part ${n}`,
      })),
    ];
    const person = { from: `user-${from}`, fromName: null };
    const routed = { channelType: this.#type, identity: 'the-channel', at: this.#clock.now() };
    const message = { kind: 'inbound' as const, ...routed, ...person, upstreamId, caption: null, parts };
    this.written.push(message);
    return message;
  }

  foreign(step: Extract<Step, { step: 'foreign-echo' | 'unknown-status' }>): ChannelFact {
    const routed = { channelType: this.#type, identity: 'the-channel', at: this.#clock.now() };
    const person = { recipient: 'user-1', tag: null };
    const upstreamId = `foreign-${this.#clock.monotonic()}`;
    if (step.step === 'unknown-status')
      return { kind: 'receipt', ...routed, ...person, status: 'delivered', upstreamId, errors: [] };
    const parts = [{ type: 'text' as const, text: `operator ${step.text}` }];
    const appId = this.#type === 'pagechat' ? '26390203743090' : null;
    return {
      kind: 'echo',
      ...routed,
      ...person,
      recipient: `user-${step.to}`,
      upstreamId,
      appId,
      caption: null,
      parts,
    };
  }
}
