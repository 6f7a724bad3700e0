import type { UpstreamKind } from '../kind.ts';
import { connectForm } from './connect.ts';
import { sendForm } from './send.ts';
import { takeChatappEntry } from './webhook.ts';

/** Phone numbers of business accounts. [upstream §2.4, §3.1, §4.1] */
export const chatapp: UpstreamKind = {
  send: sendForm,
  webhook: { object: 'whatsapp_business_account', takeEntry: takeChatappEntry },
  connect: connectForm,
  profileFields: [],
};
