/** Replays: selected deliveries, or all that failed since a time. [portal: Deliveries] */
import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { retryDeliveries, replayAll, countKept, mostCounted } from '../replay-all.ts';
import type { AskedReplay } from '../types.ts';
import { toIso } from '../../../kernel/clock.ts';
import { eventTypes } from '../../../rules/events/table.ts';
import { fault } from '../../../kernel/faults.ts';
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { writeFilter } from '../../../pages/list/filter.tsx';
import { isIdShaped, nextIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { When } from '../../../pages/time.tsx';
import { utc, zoneIn } from '../../../pages/zone.ts';
import type { Zone } from '../../../pages/zone.ts';
import { noTime, writeOutcome } from './replay-parts.tsx';
import { deliveriesPath as path } from './asked.ts';
import { readNamedChannel } from '../../channels/index.ts';

/** More than a page lists. */
const maxSelected = 100;

async function again(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const selected = form.all('delivery').slice(0, maxSelected).flatMap(deliveryIn);
  // The page lists the newest first, but they are sent in the order of the events.
  const outcome = await retryDeliveries(context.world, context.actor(), selected.toReversed());
  const back = backTo(form.text('back'));
  sendRedirect(context.response, `${back}${back.includes('?') ? '&' : '?'}${writeOutcome(outcome)}`);
}

function deliveryIn(text: string): { channelId: string; deliveryId: string }[] {
  const [, channelId, deliveryId] = /^([\w-]{1,64}):([\w-]{1,64})$/.exec(text) ?? [];
  return channelId === undefined || deliveryId === undefined ? [] : [{ channelId, deliveryId }];
}

function backTo(text: string): string {
  const next = nextIn(text);
  return next !== null && (next === path || next.startsWith(`${path}?`)) ? next : path;
}

/** A moment, as pages of ours pass it on, or a time as people type it in their zone; null: neither. */
function timeIn(text: string, zone: Zone): number | null {
  const [whole, second, parts = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,3})?Z$/.exec(text) ?? [];
  if (whole === undefined || second === undefined) return zone.read(text);
  const at = utc.read(second);
  return at === null ? null : at + Number(parts) * 1_000;
}

interface Asked extends AskedReplay {
  /** null: all channels. */
  channelId: string | null;
}

/** null: there is no time to begin with. Throws 404 `not_found` for a text that is no channel's id. */
function askedIn(
  { request }: Pick<SignedInContext, 'request'>,
  channel: string,
  read: (name: string) => string | null,
): Asked | null {
  const zone = zoneIn(request);
  const since = timeIn(read('since') ?? '', zone);
  if (since === null) return null;
  const event = eventTypes.find((each) => each === read('event'));
  return {
    channelId: readNamedChannel(channel),
    endpointId: endpointIn(read('endpoint') ?? '', channel),
    since,
    until: timeIn(read('until') ?? '', zone),
    events: event === undefined ? null : [event],
  };
}

/** null: of a channel its own. Throws 404 `not_found` for a text that is no id, and for an endpoint without its channel. */
function endpointIn(text: string, channel: string): string | null {
  if (text === '') return null;
  if (channel === '' || !isIdShaped(text)) throw fault('not_found', { what: 'Endpoint' });
  return text;
}

/** Asks with the count. `until` is fixed here, so that the confirmed replay includes nothing that fails in between. */
async function ask(context: SignedInContext): Promise<void> {
  const { query, caller, world } = context;
  const read = askedIn(context, query.get('replay-channel') ?? '', (name) => query.get(name));
  if (read === null) return sendRedirect(context.response, `${path}?${noTime}#replay-since`);
  const now = context.clock.now();
  const asked = { ...read, until: Math.min(read.until ?? now, now) };
  const count = await countKept(world, caller, asked.channelId, asked);
  const heading = `Send ${count === 1 ? 'it' : `all ${countWords(count)}`} again?`;
  answerShell(context, {
    title: 'Replay',
    heading: count === 0 ? 'Nothing to replay' : heading,
    back: <a href={backOf(asked)}>All deliveries</a>,
    at: path,
    children:
      count === 0 ? <NoneKept asked={asked} now={now} /> : <Question {...{ context, asked, count }} />,
  });
}

function NoneKept({ asked, now }: DuringProps): VNode {
  return (
    <p>
      No event that failed <During asked={asked} now={now} /> is kept. A channel keeps failed events for as
      many days as its page says, from the time when that was set.
    </p>
  );
}

interface QuestionProps {
  context: SignedInContext;
  asked: Asked & { until: number };
  count: number;
}

function Question({ context, asked, count }: QuestionProps): VNode {
  const { channelId, endpointId, since, until, events } = asked;
  return (
    <>
      <p>
        {count === 1 ? '1 delivery is' : `${countWords(count)} deliveries are`} kept of those that failed{' '}
        <During asked={asked} now={context.clock.now()} />, in{' '}
        {channelId === null ? 'all channels' : endpointId == null ? 'this channel' : 'this endpoint'}. Each
        event gets all attempts again, in the order of the events; your receiver gets the same{' '}
        <code>X-Webhook-Id</code>.
      </p>
      <Form action={`${path}/replay`} csrf={context.csrf} class="buttons">
        <input type="hidden" name="channel" value={channelId ?? ''} />
        <input type="hidden" name="endpoint" value={endpointId ?? ''} />
        <input type="hidden" name="event" value={events?.[0] ?? ''} />
        <input type="hidden" name="since" value={toIso(since)} />
        <input type="hidden" name="until" value={toIso(until)} />
        <button>Replay</button>
        <a class="button quiet" href={backOf(asked)}>
          Send nothing
        </a>
      </Form>
    </>
  );
}

const countWords = (count: number): string => (count > mostCounted ? `more than ${mostCounted}` : `${count}`);

/** The list that the replay was asked for from. */
function backOf({ channelId, endpointId = null, events }: Asked): string {
  const here = writeFilter({ channel: channelId, endpoint: endpointId, event: events?.[0] ?? null });
  return here === '' ? path : `${path}?${here}`;
}

interface DuringProps {
  asked: Asked;
  now: number;
}

function During({ asked: { since, until, events }, now }: DuringProps): VNode {
  return (
    <>
      since <When at={since} now={now} />
      {until === null ? null : (
        <>
          , until <When at={until} now={now} />
        </>
      )}
      {events === null ? null : ` (${events.join(', ')})`}
    </>
  );
}

async function replay(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const asked = askedIn(context, form.text('channel'), (name) => form.text(name));
  if (asked === null) return sendRedirect(context.response, path);
  const { channelId, ...which } = asked;
  const outcome = await replayAll(context.world, context.actor(), channelId, which);
  const back = backOf(asked);
  sendRedirect(context.response, `${back}${back.includes('?') ? '&' : '?'}${writeOutcome(outcome)}`);
}

export const replayPages = [
  signedInPage({ post: `${path}/again`, may: 'developer', name: 'sendTickedAgain', open: again }),
  leadBack(`${path}/again`, () => path),
  signedInPage({ get: `${path}/replay`, may: 'developer', name: 'askReplay', open: ask }),
  signedInPage({ post: `${path}/replay`, may: 'developer', name: 'replayOwn', open: replay }),
];
