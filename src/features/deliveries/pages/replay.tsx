/** Replays: ticked deliveries, or all that failed since a time. [portal: Deliveries] */
import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { retryDeliveries, replayAll, countKept } from '../replay-all.ts';
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { nextIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { many, noTime, writeOutcome } from './replay-parts.tsx';
import { deliveriesPath as path } from './asked.ts';
import { readNamedChannel } from '../../channels/index.ts';

/** More than a page lists. */
const maxTicked = 100;

async function again(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const ticked = form.all('delivery').slice(0, maxTicked).flatMap(deliveryIn);
  // The page lists the newest first, but they are sent in the order of the events.
  const outcome = await retryDeliveries(context.world, context.actor(), ticked.toReversed());
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

/** A time in UTC, with or without seconds; null if it is none. */
function timeIn(text: string): number | null {
  const [, day, time = '00:00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?))?Z?$/.exec(text) ?? [];
  if (day === undefined) return null;
  const at = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(at) ? null : at;
}

/** Asks with the count. `until` is fixed here, so that the confirmed replay includes nothing that fails in between. */
async function ask(context: SignedInContext): Promise<void> {
  const { query, caller, world } = context;
  const since = timeIn(query.get('since') ?? '');
  if (since === null) return sendRedirect(context.response, `${path}?${noTime}#replay-since`);
  const channelId = readNamedChannel(query.get('replay-channel') ?? '');
  const until = context.clock.now();
  const count = await countKept(world, caller, channelId, { since, until, events: null });
  const back = channelId === null ? path : `${path}?channel=${channelId}`;
  const at = new Date(since).toISOString();
  answerShell(context, {
    title: 'Replay',
    heading: count === 0 ? 'Nothing to replay' : `Send ${count === 1 ? 'it' : `all ${count}`} again?`,
    back: <a href={back}>All deliveries</a>,
    at: path,
    children: (
      <>
        {count === 0 ? (
          <p>
            No event that failed since <Since at={at} /> is kept. A channel keeps failed events for as many
            days as its page says, from the time when that was set.
          </p>
        ) : (
          <>
            <p>
              {many(count)} kept of those that failed since <Since at={at} />, in{' '}
              {channelId === null ? 'all channels' : 'this channel'}. Each event gets all attempts again, in
              the order of the events; your receiver gets the same <code>X-Webhook-Id</code>.
            </p>
            <Form action={`${path}/replay`} csrf={context.csrf} class="buttons">
              <input type="hidden" name="channel" value={channelId ?? ''} />
              <input type="hidden" name="since" value={at.slice(0, -1)} />
              <input type="hidden" name="until" value={new Date(until).toISOString().slice(0, -1)} />
              <button>Replay</button>
              <a class="button quiet" href={back}>
                Send nothing
              </a>
            </Form>
          </>
        )}
      </>
    ),
  });
}

/** The time that the person chose; few choose seconds. */
function Since({ at }: { at: string }): VNode {
  const words = at.slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replace('T', ' ').replace(/:00$/, '');
  return <time datetime={at}>{words} UTC</time>;
}

async function replay(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const [since, until] = [timeIn(form.text('since')), timeIn(form.text('until'))];
  const channelId = readNamedChannel(form.text('channel'));
  const back = channelId === null ? `${path}?` : `${path}?channel=${channelId}&`;
  if (since === null) return sendRedirect(context.response, path);
  const outcome = await replayAll(context.world, context.actor(), channelId, {
    since,
    until,
    events: null,
  });
  sendRedirect(context.response, `${back}${writeOutcome(outcome)}`);
}

export const replayPages = [
  signedInPage({ post: `${path}/again`, may: 'developer', name: 'sendTickedAgain', open: again }),
  leadBack(`${path}/again`, () => path),
  signedInPage({ get: `${path}/replay`, may: 'developer', name: 'askReplay', open: ask }),
  signedInPage({ post: `${path}/replay`, may: 'developer', name: 'replayOwn', open: replay }),
];
