/**
 * A signed test event to a channel's `webhook_url`, over the way of every delivery: address guard, TLS, time-out, headers. It has no
 * record and no retry. Its event is none of the contract's, so that no receiver takes it for a message.
 */
import { LRUCache } from 'lru-cache';
import { isoOf } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import { late } from '../../kernel/late.ts';
import type { Caller } from '../caller.ts';
import { channelOf } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { WebhookTestResult } from './use-cases.ts';

const perMinute = 10;
const minuteMs = 60_000;
const maxAccounts = 10_000;

export function webhookTester(
  deps: UseCaseDeps,
): (caller: Caller, channelId: string) => Promise<WebhookTestResult> {
  const made = late(() => new LRUCache<string, number[]>({ max: maxAccounts }));
  return async (caller, channelId) => {
    const channel = await channelOf(deps, caller, channelId);
    const { webhookUrl: url, webhookSecret: secret } = channel;
    if (url === null) throw fault('bad_request', { why: 'The channel has no webhook_url' });
    takeTurn(made(), caller.accountId, deps.clock.monotonic());
    const deliveryId = newId();
    const startedAt = deps.clock.monotonic();
    const envelope = {
      event: 'webhook.test',
      channel_id: channelId,
      channel_type: channel.channelType,
      timestamp: isoOf(deps.clock.now()),
      data: {},
    };
    const body = Buffer.from(JSON.stringify(envelope));
    const result = await deps.webhooks.post({
      channelId,
      url,
      secret,
      deliveryId,
      attempt: 1,
      body,
      requestId: caller.requestId,
    });
    const durationMs = Math.round(deps.clock.monotonic() - startedAt);
    return { deliveryId, status: result.status, failure: result.ok ? null : result.reason, durationMs };
  };
}

/** Whoever presses the button faster than this is a program. Throws 429 `rate_limited`. */
function takeTurn(made: LRUCache<string, number[]>, accountId: string, now: number): void {
  const recent = (made.get(accountId) ?? []).filter((at) => at > now - minuteMs);
  const [oldest = now] = recent;
  if (recent.length >= perMinute) {
    throw fault('rate_limited', { retryAfter: Math.ceil((oldest + minuteMs - now) / 1_000) });
  }
  made.set(accountId, [...recent, now]);
}
