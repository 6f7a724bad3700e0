/** A channel is connected from the portal: to the platform's dialog, and back. [spec: Connecting a channel] */
import { leadBack, signedInPage } from '../route.ts';
import type { SignedInContext } from '../route.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { sendRedirect } from '../../http/answers.ts';
import { fault } from '../../kernel/faults.ts';
import { readForm } from '../../pages/forms/form.tsx';
import { problem, trying } from '../../pages/forms/problems.ts';
import { channelPath, channelsPath, channelTabPath, connectedPath } from '../../pages/paths.ts';
import { startOwnSetup, exchangeCode, choseNone } from '../connecting/index.ts';
import { showChannels } from './channels.tsx';

const maxIdLength = 64;

/** With a `channel_id` it reconnects exactly that channel. */
async function connect(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const type = channelTypes.find((each): each is ChannelType => each === form.text('channel_type'));
  if (type === undefined) throw fault('bad_request', { why: 'Unknown kind of channel' });
  const channelId = form.text('channel_id').slice(0, maxIdLength);
  const tried = await trying(async () =>
    startOwnSetup(context.world, context.actor(), type, channelId === '' ? null : channelId),
  );
  if ('problems' in tried) await showChannels(context, tried.problems);
  else sendRedirect(context.response, tried.done.setupUrl);
}

/** Words for the errors with which a setup flow can end. The text in the URL is never shown, only these. */
const ends: Readonly<Record<string, string>> = {
  access_denied: 'You did not allow the connection at the platform. Nothing was connected.',
  nothing_picked:
    'You chose nothing that can be connected as this kind of channel. A number must be added and verified at the platform first; of a page or photo account you need a role with its messages.',
  claimed_elsewhere:
    'What you chose is connected to another account of this service. Only its operators can release it.',
  already_active: 'What you chose is already connected: you find it below.',
  no_free_slot: 'No licence has a free slot for this kind of channel. Billing shows your licences.',
  other_identity:
    'You granted access to another number or account than that of the channel to reconnect. Nothing was changed.',
  upstream_failed: 'The platform did not complete the connection. Try again in a moment.',
  temporarily_unavailable: 'The connection could not be completed now. Try again in a moment.',
};

/** The URL can contain any word, so unknown ones get a general sentence. */
function endWords(error: string): string {
  const known = Object.hasOwn(ends, error) ? ends[error] : undefined;
  return known ?? 'The connection was not completed. Nothing was connected.';
}

/** Who connects by hand has no program yet that keeps up; the API's default stays 0. */
const keptDays = 3;

/** Target of the setup flow's redirect. The code is useless to any other account, because it belongs to the one that began the flow. */
async function finish(context: SignedInContext): Promise<void> {
  const [code, error] = [context.query.get('code'), context.query.get('error')];
  if (code === null) {
    const isOurs = context.query.get('error_description') === choseNone;
    const words = isOurs ? 'You chose to connect none. Nothing was changed.' : endWords(error ?? '');
    return showChannels(context, problem(200, words));
  }
  const tried = await trying(async () =>
    exchangeCode(context.world, context.actor(), { code }, { failedRetentionDays: keptDays }),
  );
  if ('done' in tried) return sendRedirect(context.response, pathAfter(tried.done.channel));
  const isOld = tried.problems.status === 400 && context.visitor.mayAct;
  const words = 'This connection was already completed, or it has expired. Look below, or connect again.';
  await showChannels(context, isOld ? problem(400, words) : tried.problems);
}

/** What a new channel needs next is a webhook. */
function pathAfter({ id, webhookUrl }: Pick<Channel, 'id' | 'webhookUrl'>): string {
  return `${webhookUrl === null ? channelTabPath(id, 'webhook') : channelPath(id)}?connected`;
}

export const connectPages = [
  signedInPage({ post: `${channelsPath}/connect`, may: 'developer', name: 'connectChannel', open: connect }),
  leadBack(`${channelsPath}/connect`, () => channelsPath),
  signedInPage({
    get: connectedPath,
    // The page exchanges the code for a channel.
    may: 'developer',
    name: 'connectedPage',
    open: finish,
  }),
];
