/**
 * The faults of a storm. Each fault is injected, lasts, and is removed. A fault of a process or a server fails the storm if it had no
 * effect: a frozen process that answers, a cut connection that nobody used.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../actors/support/random.ts';
import type { ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { manyGenres } from '../support/crafted-files.ts';
import { fileForm } from '../support/file-form.ts';
import type { KillableService } from '../support/crash.ts';
import { newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { phonePost, postAsUpstream } from '../support/events.ts';
import { draft, templatesOf } from '../support/templates.ts';
import type { Channel, World } from '../support/world.ts';

/** What a fault knows of its targets. */
export interface Struck {
  world: World;
  channels: readonly Channel[];
  random: Random;
}

export interface Fault<S extends Struck = Struck> {
  name: string;
  /** Resolves once the fault is over and removed. */
  strike(struck: S): Promise<void>;
}

interface StruckCluster extends Struck {
  cluster: ServiceCluster;
}

interface StruckNode extends Struck {
  killable: KillableService;
}

/** The first bytes of every PNG. */
const pngHead = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The behaviour of upstream, receivers, people and clients, independent of how the service runs. */
export const outsideFaults: Fault[] = [
  upstreamFault('upstream resets before it accepts', { act: 'reset' }),
  upstreamFault('upstream accepts and drops the answer', { act: 'lost' }),
  upstreamFault('upstream accepts and answers 500', { act: 'error_after_accept' }),
  upstreamFault('upstream accepts and answers half of its JSON', { act: 'truncated' }),
  upstreamFault('upstream accepts and answers HTML', { act: 'html' }),
  upstreamFault('upstream accepts and never answers', { act: 'hang' }),
  upstreamFault('upstream answers 10 MB', { act: 'big' }),
  upstreamFault('upstream is slow', { act: 'ok', delay_ms: 1_000 }),
  upstreamFault('upstream has a passing trouble', { act: 'refuse', code: 131016 }, 'chatapp'),
  upstreamFault('upstream throttles the number', { act: 'refuse', code: 130429 }, 'chatapp'),
  ...([500, 429, 302, 'reset', 'hang'] as const).map((answer) => ({
    name: `the receiver answers ${answer}`,
    async strike({ world, random }: Struck) {
      world.inbox.answerNext(...Array<typeof answer>(random.between(1, 40)).fill(answer));
    },
  })),
  {
    name: 'a person sends a file made to be slow',
    async strike({ world, channels, random }) {
      const channel = random.pick(channels);
      const file = { mime_type: 'audio/mpeg', content_base64: manyGenres().toString('base64') };
      await world.write(channel, { type: 'audio', ...file }, newPerson(channel.type));
    },
  },
  {
    name: 'upstream posts what nobody understands',
    async strike({ world, random }) {
      const odd = random.pick([
        {},
        { object: 'page', entry: 7 },
        {
          object: 'whatsapp_business_account',
          entry: [{ changes: [{ field: 'messages', value: { messages: [{}] } }] }],
        },
        phonePost('422300000000002', {
          statuses: Array.from({ length: 2_000 }, () => ({ id: 1, status: [] })),
        }),
      ]);
      await postAsUpstream(world, odd);
    },
  },
  {
    name: 'a client uploads a file and sends it',
    async strike({ world, channels, random }) {
      const { id, key, type } = random.pick(channels);
      const bytes = Buffer.concat([pngHead, Buffer.alloc(random.between(1, 2_000_000))]);
      const file = new File([bytes], 'a.png', { type: 'image/png' });
      const form = fileForm({ channel_id: id, media_type: 'image' }, file);
      const made = await world.service.call('POST', '/api/v1/media', { key, body: form });
      if ([429, 502, 503].includes(made.status)) return;
      if (made.status !== 201) throw new Error(`an upload is answered ${made.status}: ${made.text}`);
      const body = {
        channel_id: id,
        recipient: newPerson(type),
        media_type: 'image',
        media_id: made.body.media_id,
      };
      const { status, text } = await world.service.call('POST', '/api/v1/messages/send-media', { key, body });
      if (![200, 502, 503].includes(status))
        throw new Error(`an uploaded file is answered ${status}: ${text}`);
    },
  },
  {
    name: 'a client changes its channel again and again',
    async strike({ world, channels, random }) {
      const { id, key } = random.pick(channels);
      const patch = (body: Record<string, unknown>) =>
        world.service.call('PATCH', `/api/v1/channels/${id}`, { key, body }).catch(() => null);
      for (let n = 0; n < 10; n += 1) await patch({ webhook_url: world.inbox.url });
    },
  },
  {
    name: 'a client makes, edits and deletes a template',
    async strike({ world, channels, random }) {
      const channel = channels.find(({ type }) => type === 'chatapp');
      if (channel === undefined) return;
      const templates = templatesOf(world.service, channel);
      const name = `storm_${random.between(1, 1_000_000)}`;
      await templates.create(draft(name)).catch(() => null);
      await templates.list('?sync=true').catch(() => null);
      await templates.remove(name).catch(() => null);
    },
  },
];

function upstreamFault(name: string, fault: Record<string, unknown>, kind?: Channel['type']): Fault {
  return {
    name,
    async strike({ world, channels, random }) {
      const match = { kind: kind ?? random.pick(channels).type };
      await world.simulator.control('faults', { match, times: random.between(1, 6), ...fault });
    },
  };
}

/** Faults of the processes and servers of a cluster. */
export const clusterFaults: Fault<StruckCluster>[] = [
  {
    name: 'a node is killed and comes back',
    async strike({ cluster, random }) {
      const node = random.pick(cluster.nodes);
      await node.kill9();
      await lasts(random);
      await node.start();
    },
  },
  {
    name: 'a node is frozen',
    async strike({ cluster, random }) {
      const node = random.pick(cluster.nodes);
      node.freeze();
      await Promise.all([node.silent(), lasts(random, 8_000)]);
      node.thaw();
      await node.ready();
    },
  },
  {
    name: 'a node leaves and comes back',
    async strike({ cluster, random }) {
      const node = random.pick(cluster.nodes);
      await node.terminate();
      await node.start();
    },
  },
  ...(['redis', 'mongo'] as const).flatMap((server): Fault<StruckCluster>[] => [
    cut(`a node is cut off from ${server}`, server, (proxy) => proxy.blackHole()),
    cut(`what ${server} says to a node comes late`, server, (proxy) => proxy.delay(400)),
    cut(`the connections of a node to ${server} are reset`, server, (proxy) => proxy.reset()),
    cut(`a reply of ${server} is lost`, server, (proxy) => proxy.swallowNextReply()),
  ]),
  cut('Redis answers OOM to a node', 'redis', (proxy) => proxy.answerWith('OOM command not allowed')),
  cut('Redis answers READONLY to a node', 'redis', (proxy) => proxy.answerWith('READONLY You can not write')),
  {
    name: 'Redis is killed and comes back empty',
    async strike({ cluster, random }) {
      await cluster.redis.kill9();
      await lasts(random);
      await cluster.redis.restart('empty');
    },
  },
  {
    name: 'Redis is killed and comes back with its memory',
    async strike({ cluster, random }) {
      await cluster.redis.kill9();
      await lasts(random);
      await cluster.redis.restart('same');
    },
  },
  {
    name: 'Redis hangs',
    async strike({ cluster, random }) {
      cluster.redis.freeze();
      if (await cluster.redis.answers()) throw new Error('Redis answers: it does not hang');
      await lasts(random);
      cluster.redis.thaw();
    },
  },
  {
    name: 'MongoDB steps down',
    async strike({ cluster }) {
      await cluster.mongo.stepDown(2);
      await wait(2_000);
    },
  },
  {
    name: 'MongoDB is killed and comes back',
    async strike({ cluster, random }) {
      await cluster.mongo.kill9();
      await lasts(random, 2_000);
      await cluster.mongo.restart();
    },
  },
  {
    name: 'MongoDB closes connections in mid-write',
    async strike({ cluster, random }) {
      const failCommands = ['insert', 'update', 'findAndModify'];
      await cluster.mongo.failPoint(random.between(1, 8), { failCommands, closeConnection: true });
    },
  },
];

function cut(
  name: string,
  server: keyof ClusterNode['proxies'],
  make: (proxy: ClusterNode['proxies']['redis']) => void,
): Fault<StruckCluster> {
  return {
    name,
    async strike({ cluster, random }) {
      const node = random.pick(cluster.nodes);
      const before = node.proxies[server].fired;
      make(node.proxies[server]);
      const hasFired = (): boolean => node.proxies[server].fired > before;
      await Promise.all([until(`${name}: to fire`, hasFired), lasts(random, 6_000)]);
      node.proxies[server].heal();
      await node.ready();
    },
  };
}

/** Faults of one node with an embedded store. */
export const nodeFaults: Fault<StruckNode>[] = [
  {
    name: 'the node is killed and comes back',
    async strike({ killable }) {
      await killable.kill();
      await killable.restart();
    },
  },
  {
    name: 'the node is frozen',
    async strike({ killable, random }) {
      killable.process.process.kill('SIGSTOP');
      await lasts(random);
      killable.process.process.kill('SIGCONT');
    },
  },
  {
    name: 'the node leaves and comes back',
    async strike({ killable }) {
      await killable.process.terminate();
      await killable.restart();
    },
  },
];

/** A fault lasts for a time: the duration is part of it. */
function lasts(random: Random, mostMs = 5_000): Promise<void> {
  return wait(random.between(100, mostMs));
}
