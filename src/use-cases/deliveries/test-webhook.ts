/**
 * A signed test event to a channel's `webhook_url`, over the way of every delivery: address guard, TLS, time-out, headers. It has no
 * record and no retry. Its event is none of the contract's, so that no receiver takes it for a message.
 */
import { previousSecretAt } from '../../domain/channels/channel.ts';
import { toIso } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Caller } from '../caller.ts';
import { findChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { WebhookTestResult } from './types.ts';

export async function testWebhook(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
): Promise<WebhookTestResult> {
  const channel = await findChannel(deps, caller, channelId);
  const { webhookUrl: url, webhookSecret: secret } = channel;
  if (url === null) throw fault('bad_request', { why: 'The channel has no webhook_url' });
  deps.webhookTestTurns.take(caller.accountId);
  const deliveryId = newId();
  const startedAt = deps.clock.monotonic();
  const envelope = {
    event: 'webhook.test',
    channel_id: channelId,
    channel_type: channel.channelType,
    timestamp: toIso(deps.clock.now()),
    data: {},
  };
  const body = Buffer.from(JSON.stringify(envelope));
  const { requestId } = caller;
  const previousSecret = previousSecretAt(channel, deps.clock.now());
  const posted = { channelId, url, secret, previousSecret, deliveryId, attempt: 1, body, requestId };
  const result = await deps.webhooks.post(posted);
  const durationMs = Math.round(deps.clock.monotonic() - startedAt);
  return { deliveryId, status: result.status, failure: result.ok ? null : result.reason, durationMs };
}
