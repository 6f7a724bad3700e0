/** Several nodes in one process: each with its own clock, Redis connections and listener, all behind proxies. */
import type { ChannelInsight } from '../../../actors/channel/asks.ts';
import type { SendReply } from '../../../src/rules/messages/send-reply.ts';
import { ConnectionShares } from '../../../src/kernel/connection-shares.ts';
import { Cluster } from '../../../src/ownership/cluster.ts';
import { openRedis } from '../../../src/ownership/redis.ts';
import type { RedisConnections } from '../../../src/ownership/redis.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { Outage } from '../../../src/kernel/outage.ts';
import { freePort } from '../../support/ports.ts';
import { Proxy } from '../../support/proxy.ts';
import type { RedisServer } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';
import { Holds, countingActor } from './counting.ts';
import { Ledger } from './ledger.ts';
import { PausableClock } from './pausable-clock.ts';

export const secret = 'a cluster secret of the tests';

interface NodeOptions {
  nodeId?: string;
  leaseTtlMs?: number;
  /** Offset of this node's wall clock. */
  wallAheadMs?: number;
  /** The port at which others reach it, of an earlier run. */
  linkPort?: number;
  drainBudgetMs?: number;
  askDeadlineMs?: number;
  /** An address that it announces instead of its own. */
  internalUrl?: string;
  /** Others reach it at its host and port, past its proxy. */
  withoutInternalUrl?: boolean;
  /** `CHANNELS_FOLLOW_SENDS`; true unless a test counts the moves that placement alone causes. */
  channelsFollowSends?: boolean;
}

export interface TestNode {
  nodeId: string;
  incarnation: string;
  cluster: Cluster;
  clock: PausableClock;
  holds: Holds;
  redis: RedisConnections;
  redisProxy: Proxy;
  linkProxy: Proxy;
  counters: Map<string, number>;
  /** The observed values, by metric. */
  observed: Map<string, number[]>;
  /** The logged events, in order. */
  events: string[];
  orphanCalls: number;
  leasesTaken: number;
  /** Changes that other nodes reported. */
  changes: { channelId: string | null; apiKeyId: string | null }[];
  /** Unanswered asks of the test on this node. */
  inFlight: number;
}

/** The nodes of one test over one Redis and one ledger; call `close` in afterEach. */
export class Nodes {
  readonly #redis: RedisServer;
  readonly ledger = new Ledger();
  readonly all: TestNode[] = [];

  constructor(redis: RedisServer) {
    this.#redis = redis;
  }

  async start(options: NodeOptions = {}): Promise<TestNode> {
    const { linkPort } = options;
    if (linkPort !== undefined)
      await this.all.find(({ linkProxy }) => linkProxy.port === linkPort)?.linkProxy.refuse();
    const node = await makeNode(this.#redis, this.ledger, options);
    this.all.push(node);
    await node.cluster.start();
    return node;
  }

  /** Starts this many nodes; resolves once they know and reach each other. */
  startAll(count: 2, options?: NodeOptions): Promise<[TestNode, TestNode]>;
  startAll(count: 3, options?: NodeOptions): Promise<[TestNode, TestNode, TestNode]>;
  async startAll(count: number, options: NodeOptions = {}): Promise<TestNode[]> {
    const nodes = await Promise.all(
      Array.from({ length: count }, (_, index) => this.start({ nodeId: `node-${index + 1}`, ...options })),
    );
    await this.connected(nodes);
    return nodes;
  }

  connected(nodes: readonly TestNode[]): Promise<true> {
    return until('all nodes to be linked', () =>
      nodes.every(({ cluster }) => {
        const { members, links } = cluster.insight();
        return members >= nodes.length && links >= nodes.length - 1;
      }),
    );
  }

  /**
   * Looks like `kill -9` from outside: its sockets are reset, its ports refuse, nothing of it continues. `portAnswers`: something
   * else accepts connections at its port already, and sends nothing.
   */
  async crash(node: TestNode, { portAnswers = false } = {}): Promise<void> {
    node.clock.pause();
    const others = this.all.filter((other) => other !== node);
    for (const { linkProxy } of others) linkProxy.ban((opening) => opening.includes(node.incarnation));
    if (portAnswers) {
      node.linkProxy.blackHole();
      node.linkProxy.reset();
    } else {
      await node.linkProxy.refuse();
    }
    await node.redisProxy.refuse();
  }

  /** Looks like SIGSTOP, or a complete partition: connections stay open, nothing passes, its timers are blocked. */
  freeze(node: TestNode): void {
    node.clock.pause();
    node.redisProxy.blackHole();
    node.linkProxy.blackHole();
    for (const { linkProxy } of this.all)
      linkProxy.blackHoleFor((opening) => opening.includes(node.incarnation));
  }

  /** SIGCONT: late timers fire first, then the held bytes arrive. */
  thaw(node: TestNode): void {
    node.clock.resume();
    for (const { linkProxy } of this.all) linkProxy.heal();
    node.redisProxy.heal();
  }

  /** The nodes on which the channel is active. */
  liveOn(channelId: string): TestNode[] {
    return this.all.filter(({ cluster }) => cluster.host.live(channelId) !== undefined);
  }

  async close(): Promise<void> {
    await Promise.all(
      this.all.map(async ({ cluster, clock, redis, redisProxy, linkProxy }) => {
        clock.resume();
        redisProxy.heal();
        await cluster.stop();
        redis.close();
        await Promise.all([redisProxy.close(), linkProxy.close()]);
      }),
    );
  }
}

export async function send(
  node: TestNode,
  channelId: string,
  messageId: string,
  hold = false,
): Promise<SendReply> {
  const content = { type: 'text', text: 'hi' } as const;
  const recipient = hold ? 'hold' : 'someone';
  node.inFlight += 1;
  try {
    return await node.cluster.router.ask(channelId, { type: 'send', messageId, recipient, content });
  } finally {
    node.inFlight -= 1;
  }
}

export function inspect(node: TestNode, channelId: string): Promise<ChannelInsight> {
  return node.cluster.router.ask(channelId, { type: 'inspect' });
}

let channelsMade = 0;

/** New ids, the same in every run: how placement spreads them over nodes of given names is not left to chance. */
export function channelIds(count: number): string[] {
  return Array.from({ length: count }, () => {
    channelsMade += 1;
    return `00000000-0000-7000-8000-${channelsMade.toString(16).padStart(12, '0')}`;
  });
}

async function makeNode(redisServer: RedisServer, ledger: Ledger, options: NodeOptions): Promise<TestNode> {
  const {
    nodeId = `node-${newId()}`,
    leaseTtlMs = 10_000,
    wallAheadMs = 0,
    linkPort,
    drainBudgetMs = 5_000,
    askDeadlineMs = 60_000,
    withoutInternalUrl = false,
    channelsFollowSends = true,
    internalUrl,
  } = options;
  const incarnation = newId();
  const internalPort = await freePort();
  const [redisProxy, linkProxy] = await Promise.all([
    Proxy.start(redisServer.port),
    Proxy.start(internalPort, linkPort),
  ]);
  const events: string[] = [];
  const log = makeLog('debug', { write: (line) => events.push(eventOf(line)) });
  const redis = await openRedis(
    `redis://127.0.0.1:${redisProxy.port}`,
    new Outage('redis', 'of the test', log),
  );
  const holds = new Holds();
  const clock = new PausableClock(wallAheadMs);
  const counters = new Map<string, number>();
  const observed = new Map<string, number[]>();
  const cluster = new Cluster({
    nodeId,
    incarnation,
    secret,
    connections: new ConnectionShares(1_000, () => undefined),
    internalHost: '127.0.0.1',
    internalPort,
    internalUrl: withoutInternalUrl ? null : (internalUrl ?? `http://127.0.0.1:${linkProxy.port}`),
    leaseTtlMs,
    redis: redis.main,
    leaseRedis: redis.lease,
    owners: ledger,
    kind: countingActor(ledger, holds),
    mailboxCapacity: 20_000,
    idleAfterMs: 60_000,
    drainBudgetMs,
    askDeadlineMs,
    channelsFollowSends,
    clock,
    log,
    counters: {
      increment: (name) => counters.set(name, (counters.get(name) ?? 0) + 1),
      observe: (name, value) => observed.set(name, [...(observed.get(name) ?? []), value]),
    },
    onChanged: (change) => node.changes.push(change),
    onLease: () => {
      node.leasesTaken += 1;
    },
    onOrphans: () => {
      node.orphanCalls += 1;
    },
    run: () => ({ version: 'of the test', commit: 'abc123', busy: 0.25, memoryBytes: 1_000 }),
  });
  const node: TestNode = {
    nodeId,
    incarnation,
    cluster,
    clock,
    holds,
    redis,
    redisProxy,
    linkProxy,
    counters,
    observed,
    events,
    orphanCalls: 0,
    leasesTaken: 0,
    changes: [],
    inFlight: 0,
  };
  return node;
}

function eventOf(line: string): string {
  const parsed: unknown = JSON.parse(line);
  return typeof parsed === 'object' && parsed !== null && 'msg' in parsed ? String(parsed.msg) : '';
}
