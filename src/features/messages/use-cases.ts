import { channelOfDelivery, channelOfMessage, deliveredMessage } from './delivered.ts';
import { listMessages } from './list.ts';
import { receiveUpstreamPost } from './receive-upstream-post.ts';
import { sends } from './sends.ts';
import { inspectMessage, messageTimeline } from './timeline.ts';

export const messageUseCases = {
  ...sends,
  receiveUpstreamPost,
  listMessages,
  channelOfDelivery,
  channelOfMessage,
  deliveredMessage,
  messageTimeline,
  inspectMessage,
};
