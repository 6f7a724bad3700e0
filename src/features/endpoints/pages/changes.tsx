/** How people add, change, test and remove a channel's further endpoints, and the routes of all their pages. */
import { addressShown } from '../../../rules/webhooks/transcript.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { readForm } from '../../../pages/forms/form.tsx';
import { trying } from '../../../pages/forms/problems.ts';
import { answerConfirmation } from '../../../pages/confirmation-page.tsx';
import { channelsPath, endpointPath, endpointsPath } from '../../../pages/paths.ts';
import { redirectWithFlash } from '../../../pages/session/flash.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { channelAt, newWebhookSecret } from '../../channels/index.ts';
import { testEndpoint } from '../../deliveries/index.ts';
import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { endpointRequest, endpointUpdateRequest, toEndpointPatch, toNewEndpoint } from '../schemas.ts';
import { addEndpoint, readEndpoint, removeEndpoint, updateEndpoint } from '../service.ts';
import { showEndpoint } from './endpoint.tsx';
import { showEndpoints } from './endpoints.tsx';
import { atHeaders, changedFields, givenIn, refuseChangedElsewhere, withKept } from './typed.ts';

async function add(context: SignedInContext): Promise<void> {
  const typed = await readForm(context);
  const { channel } = await channelAt(context);
  const tried = await trying(async () => {
    const given = givenIn(typed, channel.channelType, ['url', 'headers', 'events']);
    const asked = toNewEndpoint(context.parse(endpointRequest, given));
    return addEndpoint(context.world, context.actor(), channel.id, asked);
  });
  if ('problems' in tried) return showEndpoints(context, { problems: atHeaders(tried.problems), typed });
  redirectWithFlash(context, endpointsPath(channel.id), tried.done.secret ?? '');
}

async function save(context: SignedInContext): Promise<void> {
  const typed = await readForm(context);
  const { channel } = await channelAt(context);
  const id = idIn(context, 'endpoint_id');
  const { channelType: type } = channel;
  const tried = await trying(async () => {
    const changed = changedFields(typed, type);
    const given = toEndpointPatch(context.parse(endpointUpdateRequest, givenIn(typed, type, changed)));
    const { headers } = given;
    const patch = headers == null ? given : { ...given, headers: withKept(headers) };
    return updateEndpoint(context.world, context.actor(), channel.id, id, patch, (standing) =>
      refuseChangedElsewhere(typed, standing, type),
    );
  });
  if ('problems' in tried) return showEndpoint(context, { problems: atHeaders(tried.problems), typed });
  sendRedirect(context.response, `${endpointPath(channel.id, id)}?saved`);
}

async function test(context: SignedInContext): Promise<void> {
  await readForm(context);
  const [channelId, id] = [idIn(context, 'channel_id'), idIn(context, 'endpoint_id')];
  const tried = await trying(async () => {
    const { url } = await readEndpoint(context.world, context.caller, channelId, id);
    return { ...(await testEndpoint(context.world, context.actor(), channelId, id)), url };
  });
  await showEndpoint(context, 'problems' in tried ? tried : { tested: tried.done });
}

async function askRotate(context: SignedInContext): Promise<void> {
  const [channelId, id] = [idIn(context, 'channel_id'), idIn(context, 'endpoint_id')];
  const { url } = await readEndpoint(context.world, context.caller, channelId, id);
  answerConfirmation(context, {
    title: 'A new secret',
    at: channelsPath,
    question: 'Make a new secret for this endpoint?',
    children: (
      <>
        <p>
          <code>{addressShown(url)}</code>
        </p>
        <p>
          The next delivery is signed with it. For 24 hours deliveries also have a signature with the old
          secret; give your receiver the new secret by then.
        </p>
      </>
    ),
    action: `${endpointPath(channelId, id)}/secret`,
    yes: 'Make a new secret',
    no: { path: endpointPath(channelId, id), word: 'Keep the old one' },
  });
}

async function rotate(context: SignedInContext): Promise<void> {
  await readForm(context);
  const [channelId, id] = [idIn(context, 'channel_id'), idIn(context, 'endpoint_id')];
  const secret = newWebhookSecret();
  await updateEndpoint(context.world, context.actor(), channelId, id, { secret });
  redirectWithFlash(context, endpointPath(channelId, id), secret);
}

const enabling =
  (isEnabled: boolean) =>
  async (context: SignedInContext): Promise<void> => {
    await readForm(context);
    const [channelId, id] = [idIn(context, 'channel_id'), idIn(context, 'endpoint_id')];
    await updateEndpoint(context.world, context.actor(), channelId, id, { isEnabled });
    sendRedirect(context.response, `${endpointPath(channelId, id)}?${isEnabled ? 'enabled' : 'disabled'}`);
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
    no: { path: endpointPath(channelId, id), word: 'Keep it' },
  });
}

async function remove(context: SignedInContext): Promise<void> {
  await readForm(context);
  const channelId = idIn(context, 'channel_id');
  await removeEndpoint(context.world, context.actor(), channelId, idIn(context, 'endpoint_id'));
  sendRedirect(context.response, `${endpointsPath(channelId)}?removed`);
}

const path = endpointsPath('{channel_id}');
const one = endpointPath('{channel_id}', '{endpoint_id}');
const toOne = (context: SignedInContext): string =>
  endpointPath(idIn(context, 'channel_id'), idIn(context, 'endpoint_id'));

/** [spec: Additions, Endpoints] */
export const endpointPages = [
  signedInPage({ get: path, name: 'endpointsPage', open: (context) => showEndpoints(context) }),
  signedInPage({ post: path, may: 'developer', name: 'addOwnEndpoint', open: add }),
  signedInPage({ get: one, name: 'endpointPage', open: (context) => showEndpoint(context) }),
  signedInPage({ post: one, may: 'developer', name: 'saveEndpoint', open: save }),
  signedInPage({ post: `${one}/test`, may: 'developer', name: 'tryEndpoint', open: test }),
  leadBack(`${one}/test`, toOne),
  signedInPage({ get: `${one}/secret`, may: 'developer', name: 'endpointSecretPage', open: askRotate }),
  signedInPage({ post: `${one}/secret`, may: 'developer', name: 'rotateEndpointSecret', open: rotate }),
  signedInPage({ post: `${one}/enable`, may: 'developer', name: 'enableEndpoint', open: enabling(true) }),
  leadBack(`${one}/enable`, toOne),
  signedInPage({ post: `${one}/disable`, may: 'developer', name: 'disableEndpoint', open: enabling(false) }),
  leadBack(`${one}/disable`, toOne),
  signedInPage({ get: `${one}/remove`, name: 'dropEndpointPage', open: askRemove }),
  signedInPage({ post: `${one}/remove`, may: 'developer', name: 'dropEndpoint', open: remove }),
];
