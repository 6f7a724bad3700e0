/** Starts the channel actors: what they reach outside, their rules, and the routing to them. */
import type { ChannelRouter } from '../../actors/channel/asks.ts';
import { makeChannelActor } from '../../actors/channel/index.ts';
import { storedResult } from '../rules/outside.ts';
import type { QuarantinedWork, Receivers, WebhookPoster } from '../rules/outside.ts';
import type { Channel } from '../rules/channels/channel.ts';
import { changesReceiver } from '../features/default-webhook/service.ts';
import { receiverSettings, receiversOf } from '../features/endpoints/receivers.ts';
import { quarantine } from '../features/quarantine/quarantine-items.ts';
import type { FillWorld } from '../features/templates/for-send.ts';
import { CoalescedRuns } from '../kernel/single-flight.ts';
import { TemplateCache } from '../features/templates/template-cache.ts';
import { startSolo } from './actors-solo.ts';
import { worldCalls } from './open-outside.ts';
import type { Outside } from './open-outside.ts';
import type { StoredCopies } from '../storage/journal/channel-journal.ts';
import { fillingTemplates } from './fill-templates.ts';
import { listOwnHosts } from './own-hosts.ts';
import { instrumentFiles, instrumentPosts, instrumentSends, instrumentStore } from './metrics/instrument.ts';
import type { CountGivenUp } from './metrics/instrument.ts';
import type { Node } from './node.ts';
import type { Storage } from './open-storage.ts';
import type { ChannelActorKind, Routing } from './routing.ts';

export async function startActors(node: Node, storage: Storage, outside: Outside): Promise<Routing> {
  const { clock, log, events, live, settings, metrics } = node;
  const { sealer, upstream, webhooks } = outside;
  const gaveUp: CountGivenUp = (...counted) => events.emit('given-up', ...counted);
  const store = instrumentStore(storage.channelState, { ...node, gaveUp });
  let router: ChannelRouter | null = null;
  const posting = reported(webhooks, node);
  const ports = {
    store,
    replays: storage.stores.replays,
    upstream: instrumentSends(fillingTemplates(upstream.send, makeFillWorld(node, storage, outside)), node),
    webhooks: instrumentPosts(posting, node),
    files: instrumentFiles(outside.files, node),
    echoes: node.echoes,
    quarantine: {
      add: (item: QuarantinedWork) => quarantine({ ...node, ...storage, sealer, counters: metrics }, item),
    },
    accountReceiver: {
      of: (channel: Channel) => changesReceiver({ ...storage, sealer, log }, channel),
    },
    receivers: receiversIn(storage),
    owners: {
      // While this node joins, nobody is told yet: the sweep finds it.
      wake: (ownerId: string, stored: StoredCopies) => router?.tell(ownerId, { type: 'wake', stored }),
    },
    sealer,
    clock,
    log,
    live,
  };
  const kind = makeChannelActor(ports, settings);
  const routing = await makeRouting(node, storage, outside, kind);
  ({ router } = routing);
  metrics.gauges(() => ({
    channels_owned: routing.host.size,
    ...routing.host.figures(),
    nodes_live: routing.nodesLive(),
    peers_without_link: routing.peersWithoutLink(),
    lease_valid: Number(routing.leaseIsSure()),
    store_reachable: Number(storage.isReachable()),
    media_waiting: outside.files.stats().waiting,
    volume_free_bytes: outside.files.freeBytes() ?? 0,
  }));
  return routing;
}

/** Tells the node how each attempt ended. */
function reported(webhooks: WebhookPoster, { events, clock }: Node): WebhookPoster {
  return {
    post(post) {
      const { channelId, attempt, since, logged } = post;
      return webhooks.post(post).then((result) => {
        if (result.ok || result.reason !== 'busy')
          events.emit('posted', channelId, { isTaken: result.ok, attempt, result: storedResult(result) });
        if (result.ok && logged !== undefined)
          events.emit('acknowledged', {
            accountId: logged.channel.accountId,
            attempt,
            latencyMs: clock.now() - since,
          });
        return result;
      });
    },
  };
}

function receiversIn(storage: Storage): Receivers {
  return {
    of: (channelId) => receiversOf(storage, channelId),
    logged: (channelId) => storage.stores.referred.loggedOwners(channelId),
    settings: (channelId, endpointId) => receiverSettings(storage, channelId, endpointId),
  };
}

/** For look-ups by channel owners, which have a cache of their own, of one second. */
function makeFillWorld(
  { clock, log, settings }: Node,
  { stores }: Storage,
  { upstream }: Outside,
): FillWorld {
  return {
    stores,
    clock,
    log,
    ...worldCalls(upstream),
    templateSyncs: new CoalescedRuns(),
    templateCache: new TemplateCache(clock),
    settings: { ...settings, ownHosts: listOwnHosts(settings) },
  };
}

async function makeRouting(
  node: Node,
  storage: Storage,
  { upstream, webhooks, sealer }: Outside,
  kind: ChannelActorKind,
): Promise<Routing> {
  const { owners } = storage;
  const { redisUrl } = node.settings;
  if (redisUrl === null || owners === null) return startSolo(node, storage, kind);
  // From its start on the node may become the owner of a channel with waiting sends: loading undici then would delay them.
  await Promise.all([upstream.prepare(), webhooks.prepare()]);
  const { startCluster } = await import('./actors-cluster.ts');
  return startCluster(node, { ...storage, owners }, { kind, sealer, redisUrl });
}
