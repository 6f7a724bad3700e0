import { sendRedirect } from '../../http/answers.ts';
import { readForm } from '../forms/read-form.ts';
import { answerConfirmation } from '../confirmation-page.tsx';
import { idIn, signedInPage } from '../session/pages.ts';
import type { SignedInContext } from '../session/pages.ts';
import { channelsPath } from '../paths.ts';

const path = `${channelsPath}/{channel_id}/remove`;

async function ask(context: SignedInContext): Promise<void> {
  const { channel } = await context.useCases.readChannel(context.caller, idIn(context, 'channel_id'));
  answerConfirmation(context, {
    title: 'Remove a channel',
    at: channelsPath,
    question: `Remove “${channel.name ?? channel.channelType}”?`,
    children: (
      <p>
        Sending and receiving stop at once. The channel keeps its id, its history and its slot of the licence,
        and no other account can connect it; you can connect it again.
      </p>
    ),
    action: `${channelsPath}/${channel.id}/remove`,
    yes: 'Remove this channel',
    no: { path: `${channelsPath}/${channel.id}`, word: 'Keep it' },
  });
}

async function remove(context: SignedInContext): Promise<void> {
  await readForm(context);
  const channelId = idIn(context, 'channel_id');
  await context.useCases.deactivateChannel(context.caller, channelId);
  sendRedirect(context.response, `${channelsPath}/${channelId}`);
}

export const removePages = [
  signedInPage({ get: path, may: 'developer', name: 'removeChannelPage', open: ask }),
  signedInPage({ post: path, may: 'developer', name: 'removeChannel', open: remove }),
];
