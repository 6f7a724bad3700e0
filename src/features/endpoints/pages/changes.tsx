/** How people add, disable, enable and remove a channel's further endpoints, and the routes of all their pages. */
import { kindOf } from '../../../rules/channels/kinds.ts';
import { addressShown } from '../../../rules/webhooks/transcript.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { checkedEvents } from '../../../pages/forms/check.tsx';
import { readForm } from '../../../pages/forms/form.tsx';
import { trying } from '../../../pages/forms/problems.ts';
import { answerConfirmation } from '../../../pages/confirmation-page.tsx';
import { channelsPath } from '../../../pages/paths.ts';
import { redirectWithFlash } from '../../../pages/session/flash.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { channelAt } from '../../channels/index.ts';
import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { endpointRequest, toNewEndpoint } from '../schemas.ts';
import { addEndpoint, readEndpoint, removeEndpoint, updateEndpoint } from '../service.ts';
import { showEndpoints } from './endpoints.tsx';
import { endpointPath, endpointsPath } from './paths.ts';

async function add(context: SignedInContext): Promise<void> {
  const typed = await readForm(context);
  const { channel } = await channelAt(context);
  const { availableEvents } = kindOf(channel.channelType);
  const given = {
    url: typed.text('url'),
    events: checkedEvents(typed, availableEvents),
  };
  const tried = await trying(async () => {
    const asked = toNewEndpoint(context.parse(endpointRequest, given));
    return addEndpoint(context.world, context.actor(), channel.id, asked);
  });
  if ('problems' in tried) return showEndpoints(context, { problems: tried.problems, typed });
  redirectWithFlash(context, endpointsPath(channel.id), tried.done.secret ?? '');
}

const enabling =
  (isEnabled: boolean) =>
  async (context: SignedInContext): Promise<void> => {
    await readForm(context);
    const [channelId, id] = [idIn(context, 'channel_id'), idIn(context, 'endpoint_id')];
    await updateEndpoint(context.world, context.actor(), channelId, id, { isEnabled });
    sendRedirect(context.response, endpointsPath(channelId));
  };

async function askRemove(context: SignedInContext): Promise<void> {
  const [channelId, id] = [idIn(context, 'channel_id'), idIn(context, 'endpoint_id')];
  const { url } = await readEndpoint(context.world, context.caller, channelId, id);
  answerConfirmation(context, {
    title: 'Remove an endpoint',
    at: channelsPath,
    question: 'Remove this endpoint?',
    children: (
      <>
        <p>
          <code>{addressShown(url)}</code>
        </p>
        <p>It gets no more events, and what waits for it is canceled. Its deliveries stay in the log.</p>
      </>
    ),
    action: `${endpointPath(channelId, id)}/remove`,
    yes: 'Remove the endpoint',
    no: { path: endpointsPath(channelId), word: 'Keep it' },
  });
}

async function remove(context: SignedInContext): Promise<void> {
  await readForm(context);
  const channelId = idIn(context, 'channel_id');
  await removeEndpoint(context.world, context.actor(), channelId, idIn(context, 'endpoint_id'));
  sendRedirect(context.response, endpointsPath(channelId));
}

const path = endpointsPath('{channel_id}');
const one = endpointPath('{channel_id}', '{endpoint_id}');
const toList = (context: SignedInContext): string => endpointsPath(idIn(context, 'channel_id'));

/** [spec: Additions, Endpoints] */
export const endpointPages = [
  signedInPage({ get: path, name: 'endpointsPage', open: (context) => showEndpoints(context) }),
  signedInPage({ post: path, may: 'developer', name: 'addOwnEndpoint', open: add }),
  signedInPage({ post: `${one}/enable`, may: 'developer', name: 'enableEndpoint', open: enabling(true) }),
  leadBack(`${one}/enable`, toList),
  signedInPage({ post: `${one}/disable`, may: 'developer', name: 'disableEndpoint', open: enabling(false) }),
  leadBack(`${one}/disable`, toList),
  signedInPage({ get: `${one}/remove`, name: 'dropEndpointPage', open: askRemove }),
  signedInPage({ post: `${one}/remove`, may: 'developer', name: 'dropEndpoint', open: remove }),
];
