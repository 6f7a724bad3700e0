import { kindOf } from '../../domain/channels/kinds.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import { sendThrough } from './send-through.ts';
import type { SendAnswer, SendCommand } from './types.ts';

export interface SendTextCommand extends SendCommand {
  text: string;
}

/** Sends a text. Throws 400 `text_too_long` and what every send does. [spec: Sending messages] */
export function sendText(deps: UseCaseDeps, caller: Caller, command: SendTextCommand): Promise<SendAnswer> {
  const { text } = command;
  return sendThrough(deps, caller, command, {
    type: 'text',
    body: [text],
    contentFor: ({ channelType }) => ({ type: 'text', text: kindOf(channelType).checkText(text) }),
  });
}
