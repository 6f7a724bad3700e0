import { Trunkline } from 'trunkline-client';

const trunkline = new Trunkline({ baseUrl: process.env.BASE_URL, apiKey: process.env.KEY });
const [channel_id, message_id, recipient, path] = process.argv.slice(2);
await trunkline.markRead({ message_id, channel_id });
await trunkline.showTyping({ message_id, channel_id });
const { media_id } = await trunkline.uploadMedia({ channel_id, media_type: 'document', file: path });
const sent = [
  await trunkline.sendMedia({
    channel_id,
    recipient,
    media_type: 'document',
    media_id,
    reply_to: message_id,
  }),
  await trunkline.sendInteractive({
    channel_id,
    recipient,
    interactive_type: 'buttons',
    text: 'Does this answer your question?',
    buttons: [
      { id: 'yes', title: 'Yes' },
      { id: 'no', title: 'No' },
    ],
  }),
];
console.log(sent.map(({ status }) => status).join(' '));
