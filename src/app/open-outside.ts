/** The ways out of this node: to the upstream platform and to the receivers of webhooks. */
import { makeSealer } from '../adapters/sealing/index.ts';
import { makeUpstream } from '../adapters/upstream/index.ts';
import type { UpstreamAdapter } from '../adapters/upstream/index.ts';
import { makeWebhookPoster } from '../adapters/webhooks/index.ts';
import type { Sealer } from '../domain/accounts/sealed.ts';
import type { Node } from './node.ts';

export interface Outside {
  sealer: Sealer;
  upstream: UpstreamAdapter;
  webhooks: ReturnType<typeof makeWebhookPoster>;
}

export function openOutside(node: Node, encryptionKeys: readonly string[]): Outside {
  const { settings, clock, log, stages } = node;
  const sealer = makeSealer([...encryptionKeys]);
  const upstream = upstreamOf(node, sealer);
  stages.started('upstream', () => upstream.close());
  const webhooks = makeWebhookPoster({
    timeoutMs: settings.webhookTimeoutMs,
    allowInsecure: settings.webhookAllowInsecure,
    ownOrigins: [new URL(settings.baseUrl).origin],
    sealer,
    clock,
    log,
  });
  stages.started('webhooks', () => webhooks.close());
  return { sealer, upstream, webhooks };
}

function upstreamOf({ settings, clock, log }: Node, sealer: Sealer): UpstreamAdapter {
  return makeUpstream({
    url: settings.upstreamUrl,
    dialogUrl: settings.upstreamDialogUrl,
    version: settings.upstreamVersion,
    appId: settings.upstreamAppId,
    appSecret: settings.upstreamAppSecret,
    signupConfigId: settings.upstreamSignupConfigId,
    baseUrl: settings.baseUrl,
    sealer,
    log,
    clock,
  });
}
