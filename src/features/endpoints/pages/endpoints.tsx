/** The page of a channel's further endpoints. */
import type { VNode } from 'preact';
import { kindOf } from '../../../rules/channels/kinds.ts';
import type { Channel } from '../../../rules/channels/channel.ts';
import { maxEndpoints } from '../../../rules/webhooks/endpoints.ts';
import { addressShown } from '../../../rules/webhooks/transcript.ts';
import { EventChecks } from '../../../pages/forms/check.tsx';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form } from '../../../pages/forms/form.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { noProblems } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { Copyable } from '../../../pages/components.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { channelsPath, channelTabPath } from '../../../pages/paths.ts';
import { Doing } from '../../../pages/reader-role.tsx';
import { readFlash } from '../../../pages/session/flash.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { When } from '../../../pages/time.tsx';
import { channelAt } from '../../channels/index.ts';
import type { SignedInContext } from '../../route.ts';
import type { Endpoint } from '../entity.ts';
import { listEndpoints } from '../service.ts';
import { endpointPath, endpointsPath } from './paths.ts';

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
    const path = endpointPath(endpoint.channelId, endpoint.id);
    const address = addressShown(endpoint.url);
    const isDisabled = endpoint.disabledAt !== null;
    return [
      <code>{address}</code>,
      endpoint.events.join(', '),
      <EndpointState of={endpoint} now={context.clock.now()} />,
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

function EndpointState({ of: { disabledAt }, now }: { of: Endpoint; now: number }): VNode {
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
        <EventChecks
          events={kindOf(channel.channelType).availableEvents}
          chosen={['message.received']}
          typed={typed}
        />
        <button>Add it</button>
      </Form>
    </section>
  );
}
