/** The page of one further endpoint: its settings, its secret, a test event. */
import type { VNode } from 'preact';
import type { Channel } from '../../../rules/channels/channel.ts';
import { mayAs } from '../../../rules/person.ts';
import { hostIn } from '../../../rules/url.ts';
import { ownerOf } from '../../../rules/webhooks/endpoints.ts';
import { addressShown } from '../../../rules/webhooks/transcript.ts';
import { Destroying, Done } from '../../../pages/components.tsx';
import { Alert } from '../../../pages/forms/field.tsx';
import { Form } from '../../../pages/forms/form.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { noProblems } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { wasField } from '../../../pages/forms/was.ts';
import { channelsPath, endpointPath, endpointsPath } from '../../../pages/paths.ts';
import { Doing } from '../../../pages/reader-role.tsx';
import { readFlash } from '../../../pages/session/flash.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { channelAt } from '../../channels/index.ts';
import { SigningSecret, TestResult } from '../../deliveries/index.ts';
import type { Tested } from '../../deliveries/index.ts';
import type { SignedInContext } from '../../route.ts';
import type { Endpoint } from '../entity.ts';
import { readEndpoint } from '../service.ts';
import { EndpointFacts } from './facts.tsx';
import { EndpointFields } from './fields.tsx';
import { NewSecret } from './new-secret.tsx';
import { markOfValues, shownOf } from './typed.ts';

interface State {
  problems?: Problems;
  /** What was refused. */
  typed?: ReadForm;
  tested?: Tested;
}

interface Parts {
  context: SignedInContext;
  channel: Channel;
  endpoint: Endpoint;
}

const doneWords = { saved: 'Saved.', enabled: 'Enabled.', disabled: 'Disabled.' };

export async function showEndpoint(context: SignedInContext, state: State = {}): Promise<void> {
  const { problems = noProblems, typed, tested } = state;
  const { channel } = await channelAt(context);
  const endpoint = await readEndpoint(
    context.world,
    context.caller,
    channel.id,
    idIn(context, 'endpoint_id'),
  );
  const health = await context.world.stores.health.of(ownerOf(channel.id, endpoint.id));
  const path = endpointPath(channel.id, endpoint.id);
  const secret = readFlash(context, path);
  const parts = { context, channel, endpoint };
  answerShell(context, {
    title: 'Endpoint',
    heading: hostIn(endpoint.url) ?? 'Endpoint',
    back: <a href={endpointsPath(channel.id)}>The endpoints of the channel</a>,
    at: channelsPath,
    status: problems.status,
    children: (
      <>
        <Done words={doneWords} query={context.query} />
        {secret === null ? null : <NewSecret secret={secret} />}
        <EndpointFacts channel={channel} endpoint={endpoint} health={health} now={context.clock.now()} />
        <Settings {...parts} problems={problems} typed={typed} />
        <Test {...parts} tested={tested} />
        <SigningSecret isSigned={endpoint.secret !== null} path={`${path}/secret`} csrf={context.csrf} />
        <Doing>
          <Destroying title="Remove it">
            <p>It gets no more events, and what waits for it is canceled.</p>
            <a class="button danger" href={`${path}/remove`}>
              Remove the endpoint
            </a>
          </Destroying>
        </Doing>
      </>
    ),
  });
}

function Settings({
  context,
  channel,
  endpoint,
  problems,
  typed,
}: Parts & { problems: Problems; typed: ReadForm | undefined }): VNode {
  const isReader = !mayAs(context.visitor.role, 'developer');
  const stored = shownOf(endpoint, channel.channelType);
  const shown = isReader ? { ...stored, url: addressShown(endpoint.url) } : stored;
  // After a conflict the person has seen that it was changed, so that saving again replaces it.
  const seen = problems.status === 409 ? undefined : typed;
  const was = { ...stored, values: markOfValues(endpoint) };
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <Form action={endpointPath(channel.id, endpoint.id)} csrf={context.csrf} class="narrow">
        <Alert problems={problems} />
        {isReader
          ? null
          : (['url', 'headers', 'events', 'values'] as const).map((field) => (
              <input
                type="hidden"
                name={wasField(field)}
                value={seen?.all(wasField(field))[0] ?? was[field]}
              />
            ))}
        <EndpointFields type={channel.channelType} shown={shown} typed={typed} problems={problems} />
        <button>Save</button>
      </Form>
      <Enabling context={context} channel={channel} endpoint={endpoint} />
    </section>
  );
}

function Enabling({ context, channel, endpoint }: Parts): VNode {
  const isDisabled = endpoint.disabledAt !== null;
  return (
    <Doing>
      <Form
        action={`${endpointPath(channel.id, endpoint.id)}/${isDisabled ? 'enable' : 'disable'}`}
        csrf={context.csrf}
      >
        <p>
          {isDisabled
            ? 'It gets no events. Events from before are not sent to it when it is enabled.'
            : 'While it is disabled it gets no events, and what waits for it is canceled.'}
        </p>
        <button class="quiet">{isDisabled ? 'Enable it' : 'Disable it'}</button>
      </Form>
    </Doing>
  );
}

function Test({ context, channel, endpoint, tested }: Parts & { tested: Tested | undefined }): VNode {
  return (
    <Doing>
      <section aria-labelledby="test">
        <h2 id="test">Test</h2>
        <Form action={`${endpointPath(channel.id, endpoint.id)}/test`} csrf={context.csrf}>
          <p>A test event goes to the saved address, with its headers, signed with its secret.</p>
          <button class="quiet">Send a test event</button>
        </Form>
        {tested === undefined ? null : (
          <TestResult channelId={channel.id} savedUrl={endpoint.url} tested={tested} />
        )}
      </section>
    </Doing>
  );
}
