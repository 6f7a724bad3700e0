/** The settings of the service and of the channel in a history. */
import type { ChannelRules } from '../../../actors/channel/index.ts';
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import type { ChannelSettings } from '../../../src/storage/journal/channel-journal.ts';
import { channelOf, subscriptionOf } from '../../rules/samples.ts';
import type { Step } from './model-steps.ts';
import { ourAppId } from './model-upstream.ts';

/** Ten times shorter than the defaults where the specification allows it, so that a history is short. */
export const rules: ChannelRules = {
  sendQueuedAfterMs: 300,
  sendResendAfterMs: 2_000,
  sendGiveUpAfterMs: 12_000,
  maxQueueAgeMs: 2_000,
  webhookRetryDelaysMs: [100, 200, 400, 400, 400, 400, 400],
  webhookDeadlineMs: 20_000,
  mediaRetryDelaysMs: [100, 500],
  digestIntervalMs: 10_000,
  graceMs: 0,
  baseUrl: 'https://trunkline.example',
  upstreamAppId: ourAppId,
};

/** The same through the whole history. */
interface Lasting {
  type: ChannelType;
  keepsFailed: boolean;
  isOrdered: boolean;
  hasEndpoint: boolean;
}

export function settingsOfHistory(
  { type, keepsFailed, isOrdered, hasEndpoint }: Lasting,
  wanted: Omit<Extract<Step, { step: 'settings' }>, 'step'>,
): ChannelSettings {
  return {
    channel: channelOf(type, {
      id: 'the-channel',
      isActive: wanted.active,
      webhookUrl: 'https://receiver.example.com/',
      webhookEvents: wanted.events ? [...kindOf(type).availableEvents] : ['message.received'],
      echoStatuses: true,
      failedRetentionDays: keepsFailed ? 7 : 0,
      ordered: isOrdered,
      hasEndpoints: hasEndpoint,
    }),
    subscription: subscriptionOf({
      status: wanted.licensed ? 'active' : 'canceled',
      tier: wanted.starter ? 'starter' : 'pro',
      expiresAt: null,
    }),
  };
}
