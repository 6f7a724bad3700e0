/** The tab of a channel's page with its connection: make it again, or remove the channel. [portal: Channels] */
import { signedInPage } from '../route.ts';
import type { SignedInContext } from '../route.ts';
import type { VNode } from 'preact';
import type { Channel } from '../../rules/channels/channel.ts';
import { Form, readForm } from '../../pages/forms/form.tsx';
import { channelsPath, channelPath, channelTabPath } from '../../pages/paths.ts';
import { sendRedirect } from '../../http/answers.ts';
import { answerConfirmation } from '../../pages/confirmation-page.tsx';
import { Destroying } from '../../pages/components.tsx';
import { idIn } from '../../pages/session/pages.ts';
import { deactivateChannel, channelAt } from '../channels/index.ts';
import { channelLicencePages, LicenceSection } from './licence.tsx';
import { answerTab } from './tabs.tsx';

async function show(context: SignedInContext): Promise<void> {
  const { channel } = await channelAt(context);
  answerTab(context, {
    channel,
    tab: 'connection',
    children: (
      <>
        <Connection csrf={context.csrf} channel={channel} />
        <LicenceSection channelId={channel.id} />
        {channel.isActive ? <Removal channelId={channel.id} /> : null}
      </>
    ),
  });
}

/** Offered for an active channel too: its token may be refused, or lack a permission. It needs no free slot. */
function Connection({ csrf, channel }: { csrf: string; channel: Channel }): VNode {
  const { id, identity, channelType, isActive } = channel;
  return (
    <section aria-label="Connect it again">
      <p>
        {isActive ? 'When the platform refuses its access, or a permission is missing. ' : ''}
        It keeps its id and settings: choose the same account or number at the platform.
      </p>
      <Form action={`${channelsPath}/connect`} csrf={csrf}>
        <input type="hidden" name="channel_type" value={channelType} />
        {/* A channel whose identity was released is connected as a new one. */}
        {identity === null ? null : <input type="hidden" name="channel_id" value={id} />}
        <button class={isActive ? 'quiet' : undefined}>Connect it again</button>
      </Form>
    </section>
  );
}

function Removal({ channelId }: { channelId: string }): VNode {
  return (
    <Destroying title="Remove">
      <p>
        Sending and receiving stop at once. The channel keeps its id, its history and its slot of the licence,
        and no other account can connect it.
      </p>
      <a class="button danger" href={`${channelPath(channelId)}/remove`}>
        Remove this channel
      </a>
    </Destroying>
  );
}

const path = `${channelPath('{channel_id}')}/remove`;

async function ask(context: SignedInContext): Promise<void> {
  const { channel } = await channelAt(context);
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
    action: `${channelPath(channel.id)}/remove`,
    yes: 'Remove this channel',
    no: { path: channelTabPath(channel.id, 'connection'), word: 'Keep it' },
  });
}

async function remove(context: SignedInContext): Promise<void> {
  await readForm(context);
  const channelId = idIn(context, 'channel_id');
  await deactivateChannel(context.world, context.caller, channelId);
  sendRedirect(context.response, channelPath(channelId));
}

export const connectionPages = [
  ...channelLicencePages,
  signedInPage({
    get: channelTabPath('{channel_id}', 'connection'),
    may: 'developer',
    name: 'connectionPage',
    open: show,
  }),
  signedInPage({ get: path, may: 'developer', name: 'removeChannelPage', open: ask }),
  signedInPage({ post: path, may: 'developer', name: 'removeChannel', open: remove }),
];
