import type { ChannelKind } from '../kind.ts';
import { checkTextLength } from '../../messages/text.ts';
import { checkPhoneNumber } from './recipient.ts';

const textLimit = 4096;

/** Phone-number based: every status is upstream's own report about one message. */
export const chatapp: ChannelKind = {
  type: 'chatapp',
  textLimit,
  availableEvents: [
    'message.received',
    'message.echo',
    'message.sent',
    'message.delivered',
    'message.read',
    'message.failed',
  ],
  checkRecipient: checkPhoneNumber,
  checkText: (text) => checkTextLength(text, textLimit, 'chatapp'),
  rankOnAccept: 1,
  // [spec: Event types] `message.sent` means accepted by the upstream platform.
  statusesOnAccept: ['sent'],
  rankOfEcho: 1,
  namesSender: true,
  describesFiles: true,
};
