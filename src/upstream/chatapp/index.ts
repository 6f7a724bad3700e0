import type { UpstreamKind, UploadForm } from '../kind.ts';
import type { Json } from '../read.ts';
import type { Signal, Signalled } from '../signal-calls.ts';
import { connectForm } from './connect.ts';
import { sendForm } from './send.ts';
import { namedUpload } from './uploads.ts';
import { takeChatappEntry } from './webhook.ts';

/** Typing is shown only with the mark that the message was read. [upstream §3.1] */
function signalBody(signal: Signal, { upstreamId }: Signalled): Json {
  const read = { messaging_product: 'whatsapp', status: 'read', message_id: upstreamId };
  return signal === 'read' ? read : { ...read, typing_indicator: { type: 'text' } };
}

/** [upstream §5.2] */
const uploadForm: UploadForm = {
  edge: 'media',
  fields: ({ mimeType }) => ({ messaging_product: 'whatsapp', type: mimeType }),
  fileField: 'file',
  named: namedUpload,
  idMember: 'id',
};

/** Phone numbers of business accounts. [upstream §2.4, §3.1, §4.1] */
export const chatapp: UpstreamKind = {
  send: sendForm,
  webhook: { object: 'whatsapp_business_account', takeEntry: takeChatappEntry },
  connect: connectForm,
  upload: uploadForm,
  signalBody,
  profileFields: [],
};
