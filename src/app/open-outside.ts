/** Outgoing connections of this node: to the upstream platform, its files, and the receivers of webhooks. */
import type { MediaStore } from '../storage/media-store.ts';
import { makeFileFetcher } from '../media/index.ts';
import type { FileDownloads } from '../media/index.ts';
import { makeSealer } from '../kernel/sealing.ts';
import { makeUpstream } from '../upstream/index.ts';
import type { AppRefused, UpstreamPlatform } from '../upstream/index.ts';
import { makeWebhookPoster } from '../delivery/index.ts';
import type { Sealer } from '../kernel/sealed.ts';
import { parseNetworks } from '../rules/address.ts';
import { operatorFaultReason } from '../rules/messages/operator-fault.ts';
import { onceAWhile } from '../kernel/once-a-while.ts';
import type { UpstreamCalls, WorldParts } from '../features/world.ts';
import type { Node } from './node.ts';
import { listOwnPorts, listOwnUrls } from './own-hosts.ts';
import { traceAttempt, traceUpstream } from './traced.ts';

export interface Outside {
  sealer: Sealer;
  upstream: UpstreamPlatform;
  webhooks: ReturnType<typeof makeWebhookPoster>;
  files: FileDownloads;
}

export function openOutside(node: Node, encryptionKeys: readonly string[], store: MediaStore): Outside {
  const { settings, clock, log, stages, events, tracing } = node;
  const sealer = makeSealer([...encryptionKeys]);
  const upstream = openUpstream(node, sealer);
  stages.started('upstream', () => upstream.close());
  const webhooks = makeWebhookPoster({
    timeoutMs: settings.webhookTimeoutMs,
    allowInsecure: settings.allowInsecure,
    allowedNetworks: parseNetworks(settings.webhookAllowCidrs ?? []),
    ownOrigins: listOwnUrls(settings),
    ownPorts: listOwnPorts(settings),
    transcribed: (attempt) => events.emit('transcribed', attempt),
    ...(tracing === null ? {} : { attempted: (...ended) => traceAttempt(tracing, ...ended) }),
    sealer,
    clock,
    log,
  });
  stages.started('webhooks', () => webhooks.close(0)); // the channels have stopped: nobody waits for an outcome
  const files = makeFileFetcher({
    upstreamUrl: settings.upstreamUrl,
    hosts: settings.upstreamMediaHosts,
    tokenHosts: settings.upstreamMediaTokenHosts,
    baseUrl: settings.baseUrl,
    maxBytes: settings.mediaMaxBytes,
    ttlMs: settings.mediaTtlMs,
    limits: {
      perChannelBytes: settings.mediaChannelBytes,
      perAccountBytes: settings.mediaAccountBytes,
      reserveBytes: settings.storeReserveBytes,
    },
    locator: upstream.files,
    fetchedFrom: countHosts(node),
    store,
    clock,
    log,
  });
  stages.started('files', () => files.close());
  return { sealer, upstream, webhooks, files };
}

function openUpstream(
  { settings, metrics, events, clock, log, tracing }: Node,
  sealer: Sealer,
): UpstreamPlatform {
  return makeUpstream({
    url: settings.upstreamUrl,
    dialogUrl: settings.upstreamDialogUrl,
    version: settings.upstreamVersion,
    appId: settings.upstreamAppId,
    appSecret: first(settings.upstreamAppSecrets),
    pinSecret: settings.upstreamPinSecret ?? last(settings.upstreamAppSecrets),
    signupConfigId: settings.upstreamSignupConfigId,
    signupExtras: settings.upstreamSignupExtras,
    pagesConfigId: settings.upstreamPagesConfigId,
    pageScopes: settings.upstreamPageScopes,
    photoScopes: settings.upstreamPhotoScopes,
    baseUrl: settings.baseUrl,
    verifyToken: settings.upstreamVerifyToken,
    sealer,
    exchanged(status, ms, { method, headers }) {
      const answer = status === null ? 'none' : `${Math.floor(status / 100)}xx`;
      metrics.increment('upstream_calls_total', { answer });
      metrics.observe('upstream_call_seconds', ms / 1_000);
      const requestId = headers['x-request-id'];
      if (tracing !== null && requestId !== undefined)
        traceUpstream(tracing, { method, requestId, status, ms });
    },
    tokenRefused: (refused) => events.emit('token-refused', refused),
    accessRefused: ({ channel }) => events.emit('access-refused', channel.id),
    registrationRefused: (refused) => events.emit('registration-refused', refused),
    appRefused: tellAppRefused({ metrics, clock, log }),
    log,
    clock,
  });
}

const maxHosts = 50;

/** Upstream has a host for each place: the first ones have a label of their own. */
function countHosts({ metrics }: Pick<Node, 'metrics'>): (host: string) => void {
  const known = new Set<string>();
  return (host) => {
    if (known.size < maxHosts) known.add(host);
    metrics.increment('media_hosts_total', { host: known.has(host) ? host : 'other' });
  };
}

const tellEveryMs = 60_000;

/** Counts every refusal of the app, and logs them once a minute: each send of each channel meets one. */
function tellAppRefused({ metrics, clock, log }: Pick<Node, 'metrics' | 'clock' | 'log'>): AppRefused {
  const tell = onceAWhile(clock, tellEveryMs, (reason, times) =>
    log.error({ reason, times }, 'upstream.app-refused'),
  );
  return (error) => {
    const reason = operatorFaultReason(error);
    metrics.increment('upstream_app_refused_total', { reason });
    tell(reason);
  };
}

/** The newest secret proves calls, the oldest made the PINs: a rotation changes no PIN while both are listed. */
const first = (secrets: readonly string[]): string => secrets[0] ?? '';
const last = (secrets: readonly string[]): string => secrets.at(-1) ?? '';

/** The calls of upstream as the world has them. */
export function worldCalls(
  upstream: UpstreamPlatform,
): Pick<WorldParts, keyof UpstreamCalls | 'upstreamUnder' | 'upstreamApp'> {
  return {
    upstreamApp: upstream.app,
    ...toCalls(upstream),
    upstreamUnder: (requestId) => toCalls(upstream.under(requestId)),
  };
}

function toCalls({
  admin,
  profiles,
  health,
  templates,
  signals,
  uploads,
}: ReturnType<UpstreamPlatform['under']>): UpstreamCalls {
  return { upstream: admin, profiles, health, upstreamTemplates: templates, signals, uploads };
}
