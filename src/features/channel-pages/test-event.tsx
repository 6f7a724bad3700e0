/** A test event of any type: its payload is shown, and can be changed before it is sent. */
import type { VNode } from 'preact';
import { kindOf } from '../../rules/channels/kinds.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { eventTable, testEvent } from '../../rules/events/table.ts';
import type { DeliveryEvent } from '../../rules/events/table.ts';
import { fault, fieldFault } from '../../kernel/faults.ts';
import { asRecord } from '../../kernel/json.ts';
import { describeData } from '../../http/docs/event-schemas.ts';
import { parseJson } from '../../http/validation/parse-json.ts';
import { requestBody } from '../../http/validation/request-body.ts';
import type { RequestBody } from '../../http/validation/request-body.ts';
import { Alert, Choice, Field } from '../../pages/forms/field.tsx';
import { Form, readForm } from '../../pages/forms/form.tsx';
import { noProblems, trying } from '../../pages/forms/problems.ts';
import type { Problems } from '../../pages/forms/problems.ts';
import { channelPath, channelTabPath } from '../../pages/paths.ts';
import { signedInPage } from '../route.ts';
import type { SignedInContext } from '../route.ts';
import { channelAt } from '../channels/index.ts';
import { TestResult, testWebhook } from '../deliveries/index.ts';
import type { Tested } from '../deliveries/index.ts';
import { answerTab } from './tabs.tsx';

export const testEventPath = (channelId: string): string => `${channelPath(channelId)}/test-event`;

/** Bytes of `data`. Our longest real events are 10 KiB. */
const mostBytes = 16 * 1_024;

const eventsOf = ({ channelType }: Channel): readonly DeliveryEvent[] => [
  testEvent,
  ...kindOf(channelType).availableEvents,
];

/** The first of the channel's events unless the text names another. */
function eventIn(text: string | null, channel: Channel): DeliveryEvent {
  const events = eventsOf(channel);
  return events.find((event) => event === text) ?? events[1] ?? testEvent;
}

/** One parser for each event: `context.parse` compiles each body once. */
const bodies = new Map<DeliveryEvent, RequestBody<unknown>>();

function bodyOf(event: DeliveryEvent): RequestBody<unknown> {
  const body = bodies.get(event) ?? requestBody(describeData(event).data);
  bodies.set(event, body);
  return body;
}

interface State {
  event: DeliveryEvent;
  data: string;
  problems?: Problems;
  tested?: Tested;
}

const exampleOf = (event: DeliveryEvent): string => JSON.stringify(describeData(event).example, null, 2);

async function show(context: SignedInContext, state?: State): Promise<void> {
  const { channel } = await channelAt(context);
  const chosen = eventIn(context.query.get('event'), channel);
  const { problems = noProblems, ...shown } = state ?? { event: chosen, data: exampleOf(chosen) };
  answerTab(context, {
    channel,
    tab: 'webhook',
    status: problems.status,
    children: (
      <>
        <h2>Send a test event</h2>
        <ChosenEvent channel={channel} event={shown.event} />
        <Payload context={context} channel={channel} {...shown} problems={problems} />
      </>
    ),
  });
}

/** A form of its own: another event brings another example. */
function ChosenEvent({ channel, event }: { channel: Channel; event: DeliveryEvent }): VNode {
  return (
    <form method="get" action={testEventPath(channel.id)} class="filter">
      <Choice
        name="event"
        label="Event"
        chosen={event}
        options={eventsOf(channel).map((each) => [
          each,
          each === testEvent ? each : `${each}: ${eventTable[each].label}`,
        ])}
      />
      <button class="quiet">Show its payload</button>
    </form>
  );
}

interface PayloadProps extends State {
  context: SignedInContext;
  channel: Channel;
  problems: Problems;
}

function Payload({ context, channel, event, data, problems, tested }: PayloadProps): VNode {
  if (channel.webhookUrl === null)
    return (
      <p>
        The channel has no address of a receiver yet.{' '}
        <a href={channelTabPath(channel.id, 'webhook')}>Set one</a>
      </p>
    );
  return (
    <Form action={testEventPath(channel.id)} csrf={context.csrf}>
      <Alert problems={problems} />
      <input type="hidden" name="event" value={event} />
      <Field
        name="data"
        label="Its data"
        hint="Change it as you like: it must fit the event. Your receiver gets it signed, in an envelope with the event, the channel and the time of now. The list of deliveries marks it as webhook.test, and it is not tried again."
        rows={Math.min(24, Math.max(6, data.split('\n').length + 1))}
        mono
        value={data}
        problems={problems}
      />
      <button>Send it</button>
      {tested === undefined ? null : (
        <TestResult channelId={channel.id} savedUrl={channel.webhookUrl} tested={tested} />
      )}
    </Form>
  );
}

async function send(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const { channel } = await channelAt(context);
  const event = eventIn(form.text('event'), channel);
  const data = form.text('data');
  const tried = await trying(async () => {
    const { webhookUrl: url } = channel;
    if (url === null) throw fault('bad_request', { why: 'Set the address of your receiver first.' });
    const shown = { event, data: fitting(context, event, data) };
    return { ...(await testWebhook(context.world, context.actor(), channel.id, url, shown)), url };
  });
  if ('done' in tried) return show(context, { event, data, tested: tried.done });
  await show(context, { event, data, problems: atData(tried.problems) });
}

/** Throws 422 `validation` for what is too long, no JSON object, or does not fit the event. */
function fitting(context: SignedInContext, event: DeliveryEvent, typed: string): object {
  const bytes = Buffer.from(typed);
  if (bytes.length > mostBytes) throw fieldFault(['body', 'data'], `Use at most ${mostBytes} bytes.`);
  const data = asRecord(parseJson(bytes));
  if (data === null) throw fieldFault(['body', 'data'], 'This is no JSON object.');
  context.parse(bodyOf(event), data);
  return data;
}

/** The problems of the payload's members, at its one field. */
function atData(problems: Problems): Problems {
  const paths = Object.keys(problems.fields).filter((path) => path !== 'data');
  if (paths.length === 0) return problems;
  // A nested member is named by its path alone.
  const named = paths.filter((path) => !paths.some((other) => path !== '' && other.startsWith(`${path}.`)));
  const words = named.map((path) => [path, problems.fields[path]].filter((part) => part !== '').join(': '));
  return { ...problems, fields: { data: words.join('; ') } };
}

const path = testEventPath('{channel_id}');

export const testEventPages = [
  signedInPage({ get: path, name: 'testEventPage', open: (context) => show(context) }),
  signedInPage({ post: path, may: 'developer', name: 'sendTestEvent', open: send }),
];
