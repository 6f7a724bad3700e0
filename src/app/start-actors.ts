/** Channels come to life: what an actor may use, its rules, and the way to it. */
import { makeChannelActor } from '../../actors/channel/index.ts';
import type { ChannelRules } from '../../actors/channel/index.ts';
import type { WebhookPoster } from '../../actors/channel/ports.ts';
import type { Settings } from '../../config/settings.ts';
import { startSolo } from './actors-solo.ts';
import { measuredFiles, measuredPosts, measuredSends, measuredStore } from './metrics/measured.ts';
import type { Node } from './node.ts';
import type { Outside } from './open-outside.ts';
import type { Storage } from './open-storage.ts';
import type { Routing } from './routing.ts';

export async function startActors(node: Node, storage: Storage, outside: Outside): Promise<Routing> {
  const { clock, log, events, live, settings, metrics } = node;
  const { sealer, upstream, webhooks } = outside;
  const store = measuredStore(storage.channelState, node);
  const posting: WebhookPoster = {
    async post(post) {
      const result = await webhooks.post(post);
      const { channelId, attempt } = post;
      const said = result.ok ? String(result.status) : (result.status?.toString() ?? result.reason);
      if (result.ok || result.reason !== 'busy')
        events.emit('posted', channelId, { isTaken: result.ok, attempt, result: said });
      return result;
    },
  };
  const ports = {
    store,
    upstream: measuredSends(upstream.send, node),
    webhooks: measuredPosts(posting, node),
    files: measuredFiles(outside.files, node),
    sealer,
    clock,
    log,
    live,
  };
  const kind = makeChannelActor(ports, rulesOf(settings));
  const { owners } = storage;
  const routing =
    settings.redisUrl === null || owners === null
      ? startSolo(node, storage, kind)
      : await (
          await import('./actors-cluster.ts')
        ).startCluster(node, { ...storage, owners }, kind, settings.redisUrl);
  metrics.gauges(() => ({
    channels_owned: routing.host.size,
    ...routing.host.figures(),
    nodes_live: routing.nodesLive(),
    lease_valid: Number(routing.leaseIsValid()),
    store_reachable: Number(storage.isReachable()),
    media_waiting: outside.files.stats().waiting,
  }));
  return routing;
}

function rulesOf(settings: Settings): ChannelRules {
  return {
    sendQueuedAfterMs: settings.sendQueuedAfterMs,
    sendResendAfterMs: settings.sendResendAfterMs,
    sendGiveUpAfterMs: settings.sendGiveUpAfterMs,
    maxQueueAgeMs: settings.maxQueueAgeMs,
    webhookDelaysMs: settings.webhookRetryDelaysMs,
    webhookDeadlineMs: settings.webhookDeadlineMs,
    digestIntervalMs: settings.digestIntervalMs,
    fileDelaysMs: settings.mediaRetryDelaysMs,
    graceMs: settings.subscriptionGraceMs,
    baseUrl: settings.baseUrl,
    appId: settings.upstreamAppId,
  };
}
