/**
 * A further endpoint of the channel: its owners, one after the other, and what people change of it. What happens here draws from chances of
 * its own, so that the history of the channel is the same with and without it.
 */
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import type { EventType } from '../../../src/rules/events/table.ts';
import type { Receivers } from '../../../src/rules/outside.ts';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import { ownerOf } from '../../../src/rules/webhooks/endpoints.ts';
import type { StoredCopies } from '../../../src/storage/journal/channel-journal.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import type { ModelNode } from './model-node.ts';
import type { Step } from './model-steps.ts';
import type { Random } from './random.ts';

export const endpointOwner = ownerOf('the-channel', 'e-1');

interface Parts {
  clock: FakeClock;
  random: Random;
  type: ChannelType;
  takeOver: (epoch: number) => ModelNode;
}

export class ModelEndpoint {
  readonly random: Random;
  readonly nodes: ModelNode[] = [];
  /** Owners that ended other than by a drain, and how many of these lived on beside their successor. */
  losses = 0;
  overtakes = 0;
  wasChanged = false;
  #isEnabled = true;
  #events: readonly EventType[];
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.random = parts.random;
    this.#events = kindOf(parts.type).availableEvents;
  }

  get node(): ModelNode {
    const last = this.nodes.at(-1);
    return last === undefined || last.activation.stage === 'gone' ? this.replace() : last;
  }

  replace(): ModelNode {
    const node = this.#parts.takeOver(this.nodes.length + 1);
    this.nodes.push(node);
    return node;
  }

  /** The old owner lives on and does not know. */
  async overtake(): Promise<void> {
    this.node.isLeaseValid = this.random.chance(0.5);
    this.node.isLeaseSure = this.random.chance(0.3);
    this.losses += 1;
    this.overtakes += 1;
    await this.#parts.clock.pass(this.random.between(1, 100));
    this.replace();
  }

  crash(): void {
    this.node.die();
    this.losses += 1;
    this.replace();
  }

  /** Now and then nobody hears it. */
  wake(stored: StoredCopies): void {
    const { clock } = this.#parts;
    if (this.random.chance(0.8)) clock.after(1, () => this.node.activation.tell({ type: 'wake', stored }));
  }

  change({ enabled, events }: Extract<Step, { step: 'endpoint-settings' }>): void {
    this.wasChanged = true;
    this.#isEnabled = enabled;
    this.#events = events ? kindOf(this.#parts.type).availableEvents : ['message.received'];
  }

  get receivers(): Receivers {
    return {
      of: async () => (this.#isEnabled ? [{ ownerId: endpointOwner, events: this.#events }] : []),
      logged: async () => [endpointOwner],
      settings: async () =>
        this.#isEnabled
          ? {
              webhookUrl: 'https://crm.example.com/',
              webhookSecret: null,
              webhookEvents: [...this.#events],
              previousSecret: null,
              previousSecretUntil: null,
              headers: null,
            }
          : null,
    };
  }
}
