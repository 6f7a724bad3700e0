/** The further endpoints of a channel: its list on the tab of the webhook, and the page where they are made and ended. */
import type { VNode } from 'preact';
import { eventTable } from '../../../rules/events/table.ts';
import { kindOf } from '../../../rules/channels/kinds.ts';
import type { Channel } from '../../../rules/channels/channel.ts';
import { maxEndpoints } from '../../../rules/webhooks/endpoints.ts';
import { addressShown } from '../../../rules/webhooks/transcript.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { Copyable } from '../../../pages/components.tsx';
import { answerConfirmation } from '../../../pages/confirmation-page.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { channelPath, channelsPath, channelTabPath } from '../../../pages/paths.ts';
import { Doing } from '../../../pages/reader-role.tsx';
import { readFlash, redirectWithFlash } from '../../../pages/session/flash.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { When } from '../../../pages/time.tsx';
import { channelAt } from '../../channels/index.ts';
import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import type { Endpoint } from '../entity.ts';
import { endpointRequest, toEndpointPatch } from '../schemas.ts';
import { addEndpoint, listEndpoints, readEndpoint, removeEndpoint, updateEndpoint } from '../service.ts';

const endpointsPath = (channelId: string): string => `${channelPath(channelId)}/endpoints`;

interface Shown {
  problems?: Problems;
  /** What was refused. */
  typed?: ReadForm;
}

async function show(context: SignedInContext, { problems = noProblems, typed }: Shown = {}): Promise<void> {
  const { channel } = await channelAt(context);
  const endpoints = await listEndpoints(context.world, context.caller, channel.id);
  const secret = readFlash(context, endpointsPath(channel.id));
  answerShell(context, {
    title: 'Further endpoints',
    back: <a href={channelTabPath(channel.id, 'webhook')}>The webhook of the channel</a>,
    at: channelsPath,
    status: problems.status,
    children: (
      <>
        <p>
          Each gets the events that are chosen for it, beside the webhook of the channel, with a secret,
          retries and deliveries of its own: none waits for another. Headers are set with the API.
        </p>
        {secret === null ? null : (
          <p class="note" role="status" tabindex={-1} autofocus>
            Its deliveries are signed with this secret. It is shown this once:{' '}
            <Copyable text={secret} label="the secret" />
          </p>
        )}
        <List context={context} endpoints={endpoints} />
        <Doing>
          {endpoints.length < maxEndpoints ? (
            <New context={context} channel={channel} problems={problems} typed={typed} />
          ) : (
            <p>The channel has {maxEndpoints}: no more can be added.</p>
          )}
        </Doing>
      </>
    ),
  });
}

function List({ context, endpoints }: { context: SignedInContext; endpoints: readonly Endpoint[] }): VNode {
  const { csrf } = context;
  if (endpoints.length === 0) return <p>There is none yet.</p>;
  const rows = endpoints.map((endpoint) => {
    const path = `${endpointsPath(endpoint.channelId)}/${endpoint.id}`;
    const address = addressShown(endpoint.url);
    const isDisabled = endpoint.disabledAt !== null;
    return [
      <code>{address}</code>,
      endpoint.events.join(', '),
      <Since endpoint={endpoint} now={context.clock.now()} />,
      <Doing>
        <div class="buttons">
          <Form action={`${path}/${isDisabled ? 'enable' : 'disable'}`} csrf={csrf} class="inline">
            <button class="quiet">
              {isDisabled ? 'Enable' : 'Disable'}
              <span class="unseen"> {address}</span>
            </button>
          </Form>
          <a class="button quiet" href={`${path}/remove`}>
            Remove<span class="unseen"> {address}</span>
          </a>
        </div>
      </Doing>,
    ];
  });
  return <Rows heads={['Address', 'Events', 'State', '']} rows={rows} />;
}

function Since({ endpoint: { disabledAt }, now }: { endpoint: Endpoint; now: number }): VNode {
  if (disabledAt === null) return <>gets events</>;
  return (
    <span>
      disabled since <When at={disabledAt} now={now} />
    </span>
  );
}

interface NewProps {
  context: SignedInContext;
  channel: Channel;
  problems: Problems;
  typed: ReadForm | undefined;
}

function New({ context, channel, problems, typed }: NewProps): VNode {
  return (
    <section aria-labelledby="new">
      <h2 id="new">New endpoint</h2>
      <Form action={endpointsPath(channel.id)} csrf={context.csrf} class="narrow">
        <Alert problems={problems} />
        <Field
          name="url"
          label="Address of its receiver"
          value={typed?.text('url') ?? ''}
          mono
          placeholder="https://crm.example.com/trunkline"
          problems={problems}
        />
        <fieldset>
          <legend>Events</legend>
          {kindOf(channel.channelType).availableEvents.map((event) => (
            <label class="check">
              <input
                type="checkbox"
                name={`event:${event}`}
                checked={
                  typed === undefined ? event === 'message.received' : typed.text(`event:${event}`) === 'on'
                }
              />
              <span>
                <code>{event}</code> {eventTable[event].label}
              </span>
            </label>
          ))}
        </fieldset>
        <button>Add it</button>
      </Form>
    </section>
  );
}

/** On the tab of the webhook: how many there are, and the way to them. */
export async function endpointsOf(context: SignedInContext, channel: Channel): Promise<VNode> {
  const endpoints = await listEndpoints(context.world, context.caller, channel.id);
  const disabled = endpoints.filter(({ disabledAt }) => disabledAt !== null).length;
  return (
    <section aria-labelledby="endpoints">
      <h2 id="endpoints">Further endpoints</h2>
      {endpoints.length === 0 ? (
        <p>None: events go to the address above alone.</p>
      ) : (
        <ul>
          {endpoints.map(({ url, disabledAt }) => (
            <li>
              <code>{addressShown(url)}</code>
              {disabledAt === null ? '' : ' (disabled)'}
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href={endpointsPath(channel.id)}>
          {disabled === 0 ? 'Add or change endpoints' : 'Enable, add or change endpoints'}
        </a>
      </p>
    </section>
  );
}

async function add(context: SignedInContext): Promise<void> {
  const typed = await readForm(context);
  const { channel } = await channelAt(context);
  const { availableEvents } = kindOf(channel.channelType);
  const given = {
    url: typed.text('url'),
    events: availableEvents.filter((event) => typed.text(`event:${event}`) === 'on'),
  };
  const tried = await trying(async () => {
    const { url, events, ...more } = context.parse(endpointRequest, given);
    const asked = { ...toEndpointPatch(more), url, events };
    return addEndpoint(context.world, context.actor(), channel.id, asked);
  });
  if ('problems' in tried) return show(context, { problems: tried.problems, typed });
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
    action: `${endpointsPath(channelId)}/${id}/remove`,
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
const one = `${path}/{endpoint_id}`;
const toList = (context: SignedInContext): string => endpointsPath(idIn(context, 'channel_id'));

/** [spec: Additions, Endpoints] */
export const endpointPages = [
  signedInPage({ get: path, name: 'endpointsPage', open: (context) => show(context) }),
  signedInPage({ post: path, may: 'developer', name: 'addOwnEndpoint', open: add }),
  signedInPage({ post: `${one}/enable`, may: 'developer', name: 'enableEndpoint', open: enabling(true) }),
  leadBack(`${one}/enable`, toList),
  signedInPage({ post: `${one}/disable`, may: 'developer', name: 'disableEndpoint', open: enabling(false) }),
  leadBack(`${one}/disable`, toList),
  signedInPage({ get: `${one}/remove`, name: 'dropEndpointPage', open: askRemove }),
  signedInPage({ post: `${one}/remove`, may: 'developer', name: 'dropEndpoint', open: remove }),
];
