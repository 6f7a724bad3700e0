/** Channels come to life: what an actor may use, its rules, and the way to it. */
import { makeChannelActor } from '../../actors/channel/index.ts';
import type { ChannelRules } from '../../actors/channel/index.ts';
import type { LiveFeed, WebhookPoster } from '../../actors/channel/ports.ts';
import type { Settings } from '../../config/settings.ts';
import { startSolo } from './actors-solo.ts';
import type { Node } from './node.ts';
import type { Outside } from './open-outside.ts';
import type { Storage } from './open-storage.ts';
import type { Routing } from './routing.ts';

export async function startActors(node: Node, storage: Storage, outside: Outside): Promise<Routing> {
  const { clock, log, events, settings, metrics } = node;
  const { sealer, upstream, webhooks, files } = outside;
  const live: LiveFeed = { publish: (...event) => events.emit('live', ...event) };
  const store = storage.channelState;
  const posting: WebhookPoster = {
    async post(post) {
      const result = await webhooks.post(post);
      events.emit('posted', post.channelId, result.ok);
      return result;
    },
  };
  const ports = { store, upstream: upstream.send, webhooks: posting, files, sealer, clock, log, live };
  const kind = makeChannelActor(ports, rulesOf(settings));
  const { owners } = storage;
  const routing =
    settings.redisUrl === null || owners === null
      ? startSolo(node, storage, kind)
      : await (
          await import('./actors-cluster.ts')
        ).startCluster(node, { ...storage, owners }, kind, settings.redisUrl);
  metrics.gauge('channels_owned', 'Channels live on this node', () => routing.host.size);
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
    appId: settings.upstreamAppId,
  };
}
