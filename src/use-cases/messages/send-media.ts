import { kindOf } from '../../domain/channels/kinds.ts';
import type { MediaType } from '../../domain/messages/message.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import { sendThrough } from './send-through.ts';
import type { SendAnswer, SendCommand } from './types.ts';

export interface SendMediaCommand extends SendCommand {
  mediaType: MediaType;
  url: string;
  caption: string | null;
  filename: string | null;
}

/**
 * Sends a file that upstream fetches by itself: we neither read nor keep it. Throws what every send does. [spec: Sending messages]
 */
export function sendMedia(deps: UseCaseDeps, caller: Caller, command: SendMediaCommand): Promise<SendAnswer> {
  const { mediaType, url, caption, filename } = command;
  return sendThrough(deps, caller, command, {
    type: 'media',
    body: [mediaType, url, caption, filename],
    contentFor: ({ channelType }) =>
      kindOf(channelType).fitMedia({ type: 'media', mediaType, url, caption, filename }),
  });
}
