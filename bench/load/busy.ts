/**
 * One busy number: sends, three statuses for each (sent, delivered, read, in this order and after the send was answered) and inbound
 * messages, each at a fixed rate independent of the server; the ledger counts all of them. [performance §1]
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { eventKey, Ledger } from '../measure/ledger.ts';
import { latencyOf } from '../measure/stats.ts';
import type { Latency } from '../measure/stats.ts';
import type { Receiver } from './receiver.ts';
import { Timetable } from './timetable.ts';
import { inboundPost, signed, statusPost } from './upstream-posts.ts';

export interface BusyPlan {
  sends: { url: string; headers: Record<string, string>; body: (n: number) => string };
  hook: { url: string; phone: string };
  receiver: Receiver;
  /** Per second. */
  rate: { sends: number; inbound: number };
  seconds: number;
  /** Events that have not arrived this long after the load are lost, unless the server reports pending deliveries. */
  drainMs: number;
  /** Returns the number of events that the server has yet to deliver; null: the server does not report it. */
  pending: (() => Promise<number>) | null;
}

const statuses = ['sent', 'delivered', 'read'] as const;
/** Delay from the send's answer to the first status, then from each status to the next. */
const statusMs = [20, 150, 300] as const;
const connections = 256;
const answerMs = 10_000;
/** Covers three steps of the service's retry ladder; what is still missing after that is lost. */
const lateMs = 240_000;
const told = /"event":"(message\.\w+)"[^]*"message_id":"([^"]+)"/;
const inboundStamp = /inbound (\d+);/;

interface Owed {
  messageId: string;
  step: number;
}

export class BusyNumber {
  readonly ledger = new Ledger();
  readonly #plan: BusyPlan;
  readonly #pool: Pool;
  /** Shared by the send URL and the webhook URL. */
  readonly #origin: string;
  readonly #later = new Timetable<Owed>(statusMs);
  readonly #sendMs: number[] = [];
  readonly #postMs: number[] = [];
  #underWay = 0;

  constructor(plan: BusyPlan) {
    this.#plan = plan;
    const limits = { headersTimeout: answerMs, bodyTimeout: answerMs };
    this.#origin = new URL(plan.hook.url).origin;
    this.#pool = new Pool(this.#origin, { connections, ...limits });
  }

  get latencies(): { sends: Latency; posts: Latency } {
    return { sends: latencyOf(this.#sendMs), posts: latencyOf(this.#postMs) };
  }

  /** Resolves when all expected events have arrived, or when the time for them is over. */
  async run(): Promise<void> {
    const { receiver, seconds, rate, drainMs } = this.#plan;
    receiver.arrived = (body) => this.#arrived(body);
    const startedAt = performance.now();
    const end = startedAt + seconds * 1_000;
    let [sends, inbound] = [0, 0];
    for (let now = startedAt; now < end; now = performance.now()) {
      const past = (now - startedAt) / 1_000;
      while (sends < past * rate.sends) void this.#send((sends += 1));
      while (inbound < past * rate.inbound) void this.#write((inbound += 1));
      this.#tellDue(now);
      await wait(1);
    }
    await this.#drained(performance.now() + drainMs);
    receiver.arrived = () => undefined;
    await this.#pool.destroy();
  }

  async #drained(end: number): Promise<void> {
    for (let now = performance.now(); now < end + lateMs; now = performance.now()) {
      this.#tellDue(now);
      if (this.#later.size === 0 && this.#underWay === 0 && this.ledger.missing === 0) return;
      if (now > end && !(await this.#hasMore())) return;
      await wait(this.#later.size > 0 ? 1 : 50);
    }
  }

  /** False only if two checks find nothing: between them the service may load deliveries from the store. */
  async #hasMore(): Promise<boolean> {
    const { pending } = this.#plan;
    if (pending === null) return false;
    if ((await pending()) > 0) return true;
    await wait(2_000);
    return (await pending()) > 0;
  }

  #tellDue(now: number): void {
    for (const { messageId, step } of this.#later.due(now)) void this.#status(messageId, step);
  }

  async #send(n: number): Promise<void> {
    const { url, headers, body } = this.#plan.sends;
    this.ledger.asked();
    const dueAt = performance.now();
    const answer = await this.#post(url, body(n), headers);
    this.#sendMs.push(performance.now() - dueAt);
    if (answer === null) return this.ledger.answered('unanswered', null);
    const messageId = answer.status === 200 ? messageIdIn(answer.text) : null;
    if (messageId === null) return this.ledger.answered('refused', null);
    this.ledger.answered('accepted', messageId);
    this.#later.add(0, { messageId, step: 0 }, performance.now());
  }

  async #status(messageId: string, step: number): Promise<void> {
    const status = statuses[step];
    if (status === undefined) return;
    const tag = messageId.replace(/^wamid\./, '');
    await this.#offer(
      eventKey(`message.${status}`, messageId),
      statusPost(this.#plan.hook.phone, tag, status),
    );
    // Also after a refusal: this load does not retry, and the ledger counts the refusal.
    if (step + 1 < statuses.length)
      this.#later.add(step + 1, { messageId, step: step + 1 }, performance.now());
  }

  async #write(n: number): Promise<void> {
    const text = `inbound ${n}; hello, are you open on Sunday? We are six and would come at noon.`;
    const body = inboundPost(this.#plan.hook.phone, `wamid.busy-${process.pid}-${n}-${Date.now()}`, text);
    await this.#offer(eventKey('message.received', String(n)), body);
  }

  async #offer(key: string, body: string): Promise<void> {
    this.ledger.offered(key);
    const dueAt = performance.now();
    const answer = await this.#post(this.#plan.hook.url, body, signed(body));
    this.#postMs.push(performance.now() - dueAt);
    if (answer?.status === 200) this.ledger.taken(key);
    else this.ledger.refused();
  }

  async #post(
    url: string,
    body: string,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string } | null> {
    this.#underWay += 1;
    try {
      const path = url.slice(this.#origin.length);
      const all = { 'content-type': 'application/json', ...headers };
      const answer = await this.#pool.request({ path, method: 'POST', headers: all, body });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch {
      return null; // counted: the ledger shows the number of unanswered requests
    } finally {
      this.#underWay -= 1;
    }
  }

  #arrived(body: string): void {
    const [, event = '', id = ''] = told.exec(body) ?? [];
    const stamp = event === 'message.received' ? inboundStamp.exec(body)?.[1] : undefined;
    this.ledger.arrived(eventKey(event, stamp ?? id));
  }
}

function messageIdIn(text: string): string | null {
  const { message_id: id, status }: { message_id?: string; status?: string } = JSON.parse(text);
  return status === 'sent' || status === 'queued' ? (id ?? null) : null;
}
