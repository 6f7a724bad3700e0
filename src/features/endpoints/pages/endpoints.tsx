/** The page of a channel's further endpoints. */
import type { VNode } from 'preact';
import type { Channel } from '../../../rules/channels/channel.ts';
import { maxEndpoints, ownerOf, readOwner } from '../../../rules/webhooks/endpoints.ts';
import { addressShown } from '../../../rules/webhooks/transcript.ts';
import { Done } from '../../../pages/components.tsx';
import { Alert } from '../../../pages/forms/field.tsx';
import { Form } from '../../../pages/forms/form.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { noProblems } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { Rows } from '../../../pages/list/rows.tsx';
import { channelTabPath, channelsPath, endpointPath, endpointsPath } from '../../../pages/paths.ts';
import { Doing } from '../../../pages/reader-role.tsx';
import { readFlash } from '../../../pages/session/flash.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { When } from '../../../pages/time.tsx';
import { channelAt } from '../../channels/index.ts';
import type { SignedInContext } from '../../route.ts';
import type { Endpoint } from '../entity.ts';
import { listEndpoints } from '../service.ts';
import { EndpointState } from './facts.tsx';
import { EndpointFields } from './fields.tsx';
import { NewSecret } from './new-secret.tsx';

interface Shown {
  problems?: Problems;
  /** What was refused. */
  typed?: ReadForm;
}

export async function showEndpoints(
  context: SignedInContext,
  { problems = noProblems, typed }: Shown = {},
): Promise<void> {
  const { channel } = await channelAt(context);
  const endpoints = await listEndpoints(context.world, context.caller, channel.id);
  const failing = await failingAmong(context, endpoints);
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
          headers, retries and deliveries of its own: none waits for another.
        </p>
        <Done words={{ removed: 'Removed.' }} query={context.query} />
        {secret === null ? null : <NewSecret secret={secret} />}
        <List context={context} endpoints={endpoints} failing={failing} />
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

async function failingAmong(
  { world }: SignedInContext,
  endpoints: readonly Endpoint[],
): Promise<ReadonlySet<string>> {
  const owners = endpoints.map(({ channelId, id }) => ownerOf(channelId, id));
  const failing = await world.stores.health.failingAmong(owners);
  return new Set(failing.map(({ channelId }) => readOwner(channelId).endpointId ?? ''));
}

interface ListProps {
  context: SignedInContext;
  endpoints: readonly Endpoint[];
  /** Ids of those that accept nothing now. */
  failing: ReadonlySet<string>;
}

function List({ context, endpoints, failing }: ListProps): VNode {
  if (endpoints.length === 0) return <p>There is none yet.</p>;
  const rows = endpoints.map((endpoint) => {
    const path = endpointPath(endpoint.channelId, endpoint.id);
    const address = addressShown(endpoint.url);
    return [
      <a class="mono" href={path}>
        {address}
      </a>,
      endpoint.events.join(', '),
      <span>
        <EndpointState endpoint={endpoint} isFailing={failing.has(endpoint.id)} />
        {endpoint.disabledAt === null ? null : (
          <>
            {' '}
            since <When at={endpoint.disabledAt} now={context.clock.now()} />
          </>
        )}
      </span>,
      <Doing>
        <a class="button quiet" href={path}>
          Change<span class="unseen"> {address}</span>
        </a>
      </Doing>,
    ];
  });
  return <Rows heads={['Address', 'Events', 'State', '']} rows={rows} />;
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
        <EndpointFields
          type={channel.channelType}
          shown={{ url: '', headers: '', events: 'message.received' }}
          typed={typed}
          problems={problems}
        />
        <button>Add it</button>
      </Form>
    </section>
  );
}
