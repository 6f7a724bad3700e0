/** Parts of the delivery list that are about replays. */
import type { VNode } from 'preact';
import { dayMs } from '../../../kernel/clock.ts';
import type { ReplayOutcome, ReplayProgress } from '../types.ts';
import { deliveriesPath } from './asked.ts';
import type { DeliveryQuery } from './asked.ts';
import { Announcement } from '../../../pages/components.tsx';
import type { Zone } from '../../../pages/zone.ts';
import type { ChannelField } from '../../channels/index.ts';

/** Query of the list's URL, for `Outcome` to read. */
export function writeOutcome({ begun, left, isCutShort }: ReplayOutcome): string {
  return `begun=${begun}&left=${left}${isCutShort === true ? '&cut=1' : ''}`;
}

/** Result of the previous form. */
export function Outcome({ query }: { query: URLSearchParams }): VNode | null {
  if (query.has(noTime))
    return <Announcement by={[noTime]}>Nothing was sent: write the time as 2026-11-27T09:30.</Announcement>;
  const [begun, left] = ['begun', 'left'].map((name) => countIn(query.get(name)));
  if (begun == null || left == null) return null;
  return (
    <Announcement by={['begun', 'left', 'cut']}>
      {outcomeWords(begun, left)}
      {query.get('cut') === '1' && ` ${cutShort}`}
    </Announcement>
  );
}

/** [portal: Deliveries] A second request gets the rest: deliveries already under way are claimed, or no longer kept. */
const cutShort =
  'The replay stopped there because of too many requests. Wait a moment and replay the rest; nothing is sent twice.';

/** Query of the list's URL: the time to replay from could not be read. */
export const noTime = 'no-time';

function countIn(text: string | null): number | null {
  return text !== null && /^\d{1,7}$/.test(text) ? Number(text) : null;
}

function outcomeWords(begun: number, left: number): string {
  if (begun + left === 0)
    return 'Nothing more to send: nothing was selected, nothing of that time is kept, or it is already being sent.';
  const onTheWay = `${many(begun)} on the way again.`;
  if (left === 0) return onTheWay;
  return `${onTheWay} ${many(left)} not: the content is not there any more, or the channel has no webhook for it.`;
}

function many(count: number): string {
  return count === 1 ? '1 delivery is' : `${count} deliveries are`;
}

/** Progress of the replay that is running, or ended recently. */
export function Progress({ replay }: { replay: ReplayProgress | null }): VNode | null {
  if (replay === null) return null;
  const { begun, total, isRunning } = replay;
  return (
    <section class="card" aria-labelledby="replay-progress">
      <h2 id="replay-progress">Replay</h2>
      <progress
        max={Math.max(1, total)}
        value={isRunning ? begun : Math.max(1, total)}
        aria-labelledby="replay-progress"
      />
      <p>
        {begun} of {total} are on their way again
        {isRunning ? '.' : '; the replay has ended. Deliveries that failed again are in the list.'}
      </p>
    </section>
  );
}

interface SinceProps {
  asked: DeliveryQuery;
  /** The one of the filter; null: all. */
  channel: ChannelField['channel'];
  now: number;
  zone: Zone;
}

/** Leads to a question with the count, before anything is sent. */
export function ReplaySince({ asked, channel, now, zone }: SinceProps): VNode {
  const since = zone.typed(asked.since ?? now - dayMs);
  const of = channel === null ? 'all channels' : <bdi>{channel.name ?? channel.channelType}</bdi>;
  const isOfEndpoint = asked.endpointId !== null;
  return (
    <section aria-labelledby="replay-since">
      <h2 id="replay-since">Replay all that failed</h2>
      <p>
        Of {isOfEndpoint ? 'the endpoint of ' : ''}
        {of}. Failed events can be sent again if their channel keeps them: each channel’s page says for how
        many days. They are sent in the order of the events, with the same <code>X-Webhook-Id</code>.
      </p>
      <form method="get" action={`${deliveriesPath}/replay`} class="inline filter since">
        <input type="hidden" name="replay-channel" value={channel?.id ?? ''} />
        {isOfEndpoint ? <input type="hidden" name="endpoint" value={asked.endpointId ?? ''} /> : null}
        {asked.event === null ? null : <input type="hidden" name="event" value={asked.event} />}
        <div class="choice">
          <label for="since">Since</label>
          <input id="since" name="since" type="datetime-local" value={since} required />
        </div>
        <button class="quiet">Replay all that failed since …</button>
      </form>
    </section>
  );
}
