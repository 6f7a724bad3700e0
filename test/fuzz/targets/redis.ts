/** Data from Redis: announcements of nodes, packets of the live feed, profiles, reservations. None of it is trusted. [faults: 120-122] */
import { Redis } from 'ioredis';
import { makeSharedBuckets } from '../../../src/http/limits/shared.ts';
import { makeSharedProfiles } from '../../../src/features/profiles/shared-profiles.ts';
import { SealedPackets } from '../../../src/features/live/sealed-packets.ts';
import { newSealer } from '../../support/sealing.ts';
import { parseAnnouncement, writeAnnouncement } from '../../../src/ownership/announcement.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { Target } from '../target.ts';

const secret = 'a-cluster-secret-of-this-target';
const channel = 'trunkline:live#/live#account#';
const subject = { accountId: 'a', channelId: 'c', connectedAt: 1, userId: '88' };

/** A Redis client with scripted answers, which connects to no server. */
class ScriptedRedis extends Redis {
  answer: unknown = null;

  constructor() {
    super({ lazyConnect: true });
  }

  override getBuffer(): Promise<Buffer | null> {
    return Promise.resolve(Buffer.isBuffer(this.answer) ? this.answer : null);
  }

  override eval(): Promise<unknown> {
    return Promise.resolve(this.answer);
  }
}

/** The first byte chooses the reader of the rest, which is passed unchanged or encrypted as only our nodes can. */
export async function openRedis(): Promise<Target> {
  const sealer = newSealer();
  const redis = new ScriptedRedis();
  const profiles = makeSharedProfiles({ redis, secret, sealer, clock: systemClock, log: silentLog });
  const packets = new SealedPackets(sealer, systemClock);
  const member = { nodeId: 'n', incarnation: 'i', url: 'wss://127.0.0.1:1', startedAt: 1, draining: false };
  const announced = writeAnnouncement(secret, { member: { ...member, leaseTtlMs: 10_000 }, count: 1 });
  const { context } = contextOf();
  const readers: ((input: Buffer) => Promise<string>)[] = [
    async (input) => (parseAnnouncement(secret, input.toString()) === null ? 'no member' : 'member'),
    async (input) => (packets.open(channel, input) === null ? 'no packet' : 'packet'),
    async (input) =>
      packets.open(channel, sealer.seal(input, sealContext.live(channel))) === null ? 'no packet' : 'packet',
    async (input) => {
      redis.answer = input;
      return `profile ${typeof (await profiles.recall(subject))}`;
    },
    async (input) => {
      redis.answer = Buffer.from(sealer.seal(input, context));
      const known = await profiles.recall(subject);
      return `profile ${known === undefined ? 'unknown' : typeof known.profile}`;
    },
    async (input) => {
      redis.answer = valueOf(input);
      const limiter = makeSharedBuckets(10, 20, {
        redis,
        clock: systemClock,
        log: silentLog,
        liveNodes: () => 2,
      });
      const waits: number[] = [];
      for (let n = 0; n < 30; n += 1) {
        waits.push(limiter.take('key'));
        await Promise.resolve();
      }
      const isWait = waits.every((wait) => Number.isInteger(wait) && wait >= 0 && wait < 1_000);
      if (!isWait) throw new Error(`no wait: ${waits.join()}`);
      const taken = waits.filter((wait) => wait === 0).length;
      if (taken === 0) throw new Error('a wrong answer of Redis refuses a key its share');
      return `taken ${Math.floor(taken / 5)}`;
    },
  ];
  const now = Date.now();
  const seeds: [number, string][] = [
    [0, announced],
    [1, 'x'],
    [2, JSON.stringify(['sender', 1, now, 'uid', ['event', { event: 'message.received' }, { id: 1 }]])],
    [3, 'x'],
    [4, JSON.stringify({ profile: { first_name: 'Mia' }, until: now + 1e9 })],
    [4, JSON.stringify({ profile: null, until: now + 1e9 })],
    [5, '[3,"10.000"]'],
    [5, '[0,"-20.000"]'],
  ];
  return {
    seeds: seeds.map(([reader, text]) => Buffer.concat([Buffer.from([reader]), Buffer.from(text)])),
    maxBytes: 70_000,
    async run(input) {
      const [first = 0] = input;
      const reader = first % readers.length;
      return `${reader} ${await readers[reader]?.(input.subarray(1))}`;
    },
    close: async () => redis.disconnect(),
  };
}

function contextOf(): { context: string } {
  const { accountId, channelId, connectedAt, userId } = subject;
  return { context: sealContext.profile([accountId, channelId, String(connectedAt), userId]) };
}

function valueOf(input: Buffer): unknown {
  try {
    return JSON.parse(input.toString());
  } catch {
    return input.toString();
  }
}
