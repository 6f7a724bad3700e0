import { unrecorded } from '../audit/audited.ts';
import { channelOfMessage, deliveredMessage } from './delivered.ts';
import { listMessages } from './list.ts';
import { receiveUpstreamPost } from './receive-upstream-post.ts';
import { sendMedia } from './send-media.ts';
import { sendTemplate } from './send-template.ts';
import { sendText } from './send-text.ts';
import { inspectMessage, messageTimeline } from './timeline.ts';

export const messageUseCases = {
  ...unrecorded('traffic', { sendText, sendMedia, sendTemplate, receiveUpstreamPost }),
  ...unrecorded('reads', {
    listMessages,
    channelOfMessage,
    deliveredMessage,
    messageTimeline,
    inspectMessage,
  }),
};
