/**
 * Simulates many independent clients: starts a send every 10 ms and never waits for earlier ones, so that a send stalled by a fault delays
 * no other.
 */
import { Pool } from 'undici';
import { sendBody } from '../scenarios/targets.ts';
import type { BenchChannel } from '../world/channels.ts';

const everyMs = 10;
const answerMs = 60_000;

export class Arrivals {
  /** Time of each success, from `performance.now`. */
  readonly successes: number[] = [];
  /** Ids of messages that the service accepted: answered `sent` or `queued`. */
  readonly accepted: string[] = [];
  readonly #pools: readonly Pool[];
  readonly #channel: BenchChannel;
  readonly #underWay = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #turn = 0;

  constructor(urls: readonly string[], channel: BenchChannel) {
    const limits = { connections: 256, headersTimeout: answerMs, bodyTimeout: answerMs };
    this.#pools = urls.map((url) => new Pool(url, limits));
    this.#channel = channel;
    this.#timer = setInterval(() => this.#launch(), everyMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }

  /** The longest interval between two successes that ended after this moment, in ms. */
  longestGapSince(moment: number): number {
    return longestGap(this.successes, moment);
  }

  #launch(): void {
    const sending = this.#send().finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  async #send(): Promise<void> {
    this.#turn += 1;
    const pool = this.#pools[this.#turn % this.#pools.length];
    const headers = { 'content-type': 'application/json', 'x-api-key': this.#channel.key };
    const body = sendBody(this.#channel.id);
    try {
      const path = '/api/v1/messages/send';
      const answer = await pool?.request({ path, method: 'POST', headers, body });
      const { message_id: id, status }: { message_id?: string; status?: string } = JSON.parse(
        (await answer?.body.text()) ?? '{}',
      );
      if (id !== undefined && (status === 'sent' || status === 'queued')) this.accepted.push(id);
      if (status === 'sent') this.successes.push(performance.now());
    } catch {
      // Not accepted: a real client would retry. The gap between successes shows the outage.
    }
  }
}

export function longestGap(successes: readonly number[], moment: number): number {
  const gaps = successes.slice(1).map((at, index) => (at < moment ? 0 : at - (successes[index] ?? at)));
  return Math.max(0, ...gaps);
}
