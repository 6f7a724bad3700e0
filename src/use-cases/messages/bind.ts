import type { UseCaseDeps } from '../deps.ts';
import type { ChannelProbes } from '../channels/health.ts';
import { sendMedia } from './send-media.ts';
import { sendTemplate } from './send-template.ts';
import { sendText } from './send-text.ts';
import { inspectMessage, messageTimeline } from './timeline.ts';
import { receiveUpstreamPost } from './receive-upstream-post.ts';
import type { MessageUseCases } from './use-cases.ts';

export function bindMessages(deps: UseCaseDeps, probes: ChannelProbes): MessageUseCases {
  return {
    sendText: (caller, command) => sendText(deps, caller, command),
    sendMedia: (caller, command) => sendMedia(deps, caller, command),
    sendTemplate: (caller, command) => sendTemplate(deps, caller, command),
    messageTimeline: (caller, channelId, messageId) => messageTimeline(deps, caller, channelId, messageId),
    inspectMessage: (messageId) => inspectMessage(deps, messageId),
    receiveUpstreamPost: (body, requestId) => receiveUpstreamPost(deps, probes, body, requestId),
  };
}
