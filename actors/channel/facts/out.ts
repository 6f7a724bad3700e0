/**
 * Indexes of the open sends and undecided echoes for one batch of facts. Each is built once per batch, because there may be thousands of
 * both. [faults: 94]
 */
import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import type { Echo } from '../../../src/domain/messages/facts.ts';
import type { OpenSend } from '../sends/state.ts';
import type { ChannelState } from '../state.ts';
import { openEchoes } from './open-echoes.ts';

export class Out {
  readonly #state: ChannelState;
  #sends: SparseMap<string, OpenSend[]> | null = null;
  #upstreamIds: Set<string | null> | null = null;
  #echoes: SparseMap<string, Echo[]> | null = null;

  constructor(state: ChannelState) {
    this.#state = state;
  }

  /** Unfinished sends to this recipient. */
  sendsTo(recipient: string): readonly OpenSend[] {
    this.#sends ??= grouped(this.#state.sends.open.values(), (send) => send.recipient);
    return this.#sends.get(recipient) ?? [];
  }

  /** True when upstream has answered one of the open sends with this id. */
  isAnswered(upstreamId: string): boolean {
    this.#upstreamIds ??= answeredIds(this.#state);
    return this.#upstreamIds.has(upstreamId);
  }

  /** Echoes to this recipient that wait or that a job is processing. */
  echoesTo(recipient: string): readonly Echo[] {
    this.#echoes ??= grouped(openEchoes(this.#state.facts), (echo) => echo.recipient);
    return this.#echoes.get(recipient) ?? [];
  }
}

function answeredIds({ sends }: ChannelState): Set<string | null> {
  const ids = new Set<string | null>();
  for (const { upstreamId } of sends.open.values()) ids.add(upstreamId);
  return ids;
}

function grouped<T>(items: Iterable<T>, readKey: (item: T) => string): SparseMap<string, T[]> {
  const groups = new SparseMap<string, T[]>();
  for (const item of items) {
    const key = readKey(item);
    const others = groups.get(key);
    if (others === undefined) groups.set(key, [item]);
    else others.push(item);
  }
  return groups;
}
