import { addressIn } from '../../domain/accounts/email.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { isoOf } from '../../kernel/clock.ts';
import type { AccountInsight, NodeInsight, UseCases } from '../../use-cases/index.ts';
import { channelOut, subscriptionOut } from '../api/views.ts';
import { Listed } from '../listed.ts';
import type { Moment } from '../api/views.ts';
import type { FailingChannel } from '../../use-cases/operating/types.ts';
import type { QuarantinedItem, StoredMail } from '../../use-cases/ports/operating.ts';

export function accountOut({ id, email, name, createdAt }: Account) {
  return { account_id: id, email: addressIn(email), name, created_at: isoOf(createdAt) };
}

export function accountInsightOut(insight: AccountInsight, moment: Moment) {
  return {
    ...accountOut(insight.account),
    keys: insight.keys.map(({ id, name, hint, createdAt, lastUsedAt }) => ({
      api_key_id: id,
      name,
      hint,
      created_at: isoOf(createdAt),
      last_used_at: isoOf(lastUsedAt),
    })),
    subscriptions: new Listed(insight.subscriptions, (each) => subscriptionOut(each, moment)),
    channels: insight.channels.map((each) => channelOut(each, moment)),
  };
}

export function nodeOut(node: NodeInsight) {
  return {
    node_id: node.nodeId,
    channels_owned: node.channelsOwned,
    started_at: isoOf(node.startedAt),
    draining: node.draining,
  };
}

export function channelInsightOut(insight: Awaited<ReturnType<UseCases['inspectChannel']>>) {
  return {
    channel_id: insight.channelId,
    node_id: insight.nodeId,
    epoch: insight.epoch,
    sends_open: insight.sendsOpen,
    sends_waiting: insight.sendsWaiting,
    deliveries_pending: insight.deliveriesPending,
    facts_held: insight.factsHeld,
    files_open: insight.filesOpen,
  };
}

export function failingOut({ channel, health }: FailingChannel) {
  const { id, accountId, name, channelType, webhookUrl } = channel;
  return {
    channel_id: id,
    account_id: accountId,
    name,
    channel_type: channelType,
    endpoint: webhookUrl !== null && URL.canParse(webhookUrl) ? new URL(webhookUrl).host : null,
    failing_since: isoOf(health.failingSince ?? 0),
    last_failure: health.lastFailure,
    last_failed_at: isoOf(health.deliveryFailedAt),
    last_delivered_at: isoOf(health.deliveredAt),
  };
}

export function mailOut(mail: StoredMail) {
  return {
    id: mail.id,
    account_id: mail.accountId,
    kind: mail.kind,
    subject: mail.subject,
    lines: mail.lines,
    send_after: isoOf(mail.sendAfter),
    sent_at: isoOf(mail.sentAt),
    created_at: isoOf(mail.createdAt),
  };
}

export function quarantinedOut(item: QuarantinedItem) {
  return {
    id: item.id,
    reason: item.reason,
    channel_type: item.channelType,
    channel_id: item.channelId,
    account_id: item.accountId,
    identity: item.identity,
    kind: item.kind,
    shape: item.shape,
    times: item.times,
    first_seen_at: isoOf(item.createdAt),
    last_seen_at: isoOf(item.lastSeenAt),
    can_be_retried: item.sealed !== null,
  };
}
