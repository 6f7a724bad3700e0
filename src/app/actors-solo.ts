/** A single node: it owns every channel. */
import { Host } from '../../actors/runtime/host.ts';
import { makeInProcessJobs } from '../jobs/in-process.ts';
import { limitCallers, makeTokenBuckets } from '../http/limits/callers.ts';
import { soloOwnership, soloRouter, soloView } from '../ownership/solo.ts';
import { instrumentJobs } from './metrics/instrument.ts';
import { makeNodeRun } from './node-run.ts';
import type { Node } from './node.ts';
import type { Storage } from './open-storage.ts';
import { hostLimits } from './routing.ts';
import type { ChannelActorKind, Routing } from './routing.ts';

export function startSolo(node: Node, storage: Storage, kind: ChannelActorKind): Routing {
  const { settings, clock, log, stages } = node;
  const host = new Host({
    ...hostLimits,
    kind,
    ownership: soloOwnership((channelId) => storage.mintEpoch(channelId)),
    clock,
    onFailure: (channel, error) => log.error({ channel, error }, 'channel.activation-failed'),
  });
  const { nodeId, drainTimeoutMs, rateLimitPerSecond, rateLimitBurst } = settings;
  stages.started('channels', () => host.drain(0)); // the next start finds in the store what was not handed over
  const sharedJobs = instrumentJobs(makeInProcessJobs({ clock, log }), node);
  stages.started('shared jobs', () => sharedJobs.stop());
  return {
    router: soloRouter(host),
    cluster: soloView(host, {
      nodeId,
      startedAt: clock.now(),
      drainBudgetMs: drainTimeoutMs,
      run: makeNodeRun(clock),
    }),
    host,
    sharedJobs,
    liveAdapter: null,
    sharedProfiles: null,
    rateLimiter: limitCallers({ perSecond: rateLimitPerSecond, burst: rateLimitBurst }, (perSecond, burst) =>
      makeTokenBuckets(perSecond, burst, clock),
    ),
    endAsks: () => undefined,
    nodesLive: () => 1,
    peersWithoutLink: () => 0,
    leaseIsValid: () => true,
    leaseIsSure: () => true,
    readiness: () => ({ store: storage.isReachable() ? 'ready' : 'unreachable' }),
  };
}
