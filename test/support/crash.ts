/** The service as a process that a test kills and restarts with the same data, and the oracle that compares what client, upstream and receiver saw. */
import { rm } from 'node:fs/promises';
import { orClose } from './or-close.ts';
import { Inbox } from './inbox.ts';
import type { Arrival } from './inbox.ts';
import { ledger } from './sends.ts';
import { bootSimulator, environment, spawnService } from './service.ts';
import type { ServiceProcess, Simulator } from './service.ts';
import { laxWorld } from './upstream-app.ts';
import { until } from './until.ts';
import { World } from './world.ts';
import type { Channel } from './world.ts';

export class KillableService {
  readonly env: Record<string, string>;
  readonly simulator: Simulator;
  readonly inbox: Inbox;
  process: ServiceProcess;
  world: World;
  kills = 0;

  private constructor(
    env: Record<string, string>,
    process: ServiceProcess,
    simulator: Simulator,
    inbox: Inbox,
  ) {
    this.env = env;
    this.process = process;
    this.simulator = simulator;
    this.inbox = inbox;
    this.world = new World(process, simulator, inbox);
  }

  static async open(overrides: Record<string, string> = {}): Promise<KillableService> {
    // Upstream retries a webhook soon, and for as long as a test may take.
    const settings = { status_delay_ms: 5, retry_schedule_ms: Array<number>(300).fill(100) };
    const simulator = await bootSimulator({ ...laxWorld, settings });
    const env = await environment(simulator.url, overrides);
    await simulator.control('settings', { callback_url: `${env['BASE_URL']}/upstream/webhooks` });
    const service = await orClose(spawnService(env), () => simulator.stop());
    return new KillableService(env, service, simulator, await Inbox.open());
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.kills += 1;
    await this.process.kill9();
  }

  /** Starts the service again with the same environment and data. Replaces `process` and `world`. */
  async restart(): Promise<void> {
    this.process = await spawnService(this.env);
    this.world = new World(this.process, this.simulator, this.inbox);
  }

  async close(): Promise<void> {
    await this.process.kill9();
    await this.simulator.stop();
    await this.inbox.close();
    await rm(this.env['DATA_DIR'] ?? '', { recursive: true, force: true });
  }

  /** Resolves once every send of the channel is in a terminal state, no delivery is pending and no webhook of upstream waits for its answer. */
  settled(channel: Channel, withinMs = 90_000): Promise<true> {
    return until(
      `${channel.type} to settle`,
      async () => {
        const { webhooks_waiting: waiting } = await this.simulator.control('sends/summary');
        const { body } = await this.process.admin('GET', `/channels/${channel.id}`);
        return waiting === 0 && body.sends_open === 0 && body.deliveries_pending === 0;
      },
      withinMs,
    );
  }

  /** The largest number of POSTs of one delivery that the receiver answered 200: each kill may add at most one. [faults: I5] */
  maxPosts(): number {
    const posts = new Map<unknown, number>();
    for (const { headers, answered } of this.inbox.arrivals) {
      if (answered !== 200) continue;
      const id = headers['x-webhook-id'];
      posts.set(id, (posts.get(id) ?? 0) + 1);
    }
    return Math.max(0, ...posts.values());
  }
}

/** The outcome of one send request for its client. `refused`: the status was not 200. `gone`: no answer came. */
export interface Ended {
  recipient: string;
  status: 'sent' | 'queued' | 'failed' | 'refused' | 'gone';
  messageId: string | null;
}

/** Sends a text; never rejects, even if the service dies in the meantime. */
export async function trySend(
  world: World,
  channel: Channel,
  recipient: string,
  text: string,
): Promise<Ended> {
  try {
    const { status, body } = await world.send(channel, text, recipient);
    if (status !== 200) return { recipient, status: 'refused', messageId: null };
    return { recipient, status: body.status, messageId: body.message_id };
  } catch {
    return { recipient, status: 'gone', messageId: null };
  }
}

/**
 * Each violated invariant as a sentence. [faults: I1, I2, I3, I4] A send that was answered `sent` or `queued` reaches upstream once or
 * twice, a refused one never, one without an answer at most twice; and the receiver gets a `confirmation` event for each message that upstream accepted.
 */
export async function findings(
  killable: KillableService,
  sends: readonly Ended[],
  confirmation: string,
): Promise<string[]> {
  const confirmed = new Set(killable.inbox.arrivals.filter(isEvent(confirmation)).map(messageOf));
  const found: string[] = [];
  for (const { recipient, status, messageId } of sends) {
    const copies = await ledger(killable.simulator, { recipient });
    if (copies.length > 2) found.push(`${recipient} (${status}) got ${copies.length} copies`);
    if (status === 'refused' && copies.length > 0) found.push(`${recipient} was refused and got a copy`);
    const isAnswered = status === 'sent' || status === 'queued';
    if (isAnswered && copies.length === 0) found.push(`${recipient} (${status}) got no copy`);
    const ids = new Set(copies.map(({ tag }) => tag).filter((tag) => tag !== null));
    if (isAnswered && messageId !== null) ids.add(messageId);
    for (const id of ids) if (!confirmed.has(id)) found.push(`no ${confirmation} of ${id} (${status})`);
  }
  return found;
}

const isEvent =
  (name: string) =>
  ({ event }: Arrival): boolean =>
    event.event === name;
const messageOf = ({ event }: Arrival): string => String(event.data['message_id']);
