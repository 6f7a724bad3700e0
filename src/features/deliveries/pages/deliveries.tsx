/**
 * Did my endpoint get it, and why not: the list of deliveries over all channels.
 * [portal: Deliveries; operator-interface §2, DELIVERY_LOG_DAYS]
 */
import { portalTerms } from '../../portal-terms.ts';
import { signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import { maxAttempts } from '../log.ts';
import { listAccountDeliveries } from '../list-all.ts';
import { replaysProgress } from '../replay-all.ts';
import type { VNode } from 'preact';
import { mayAs } from '../../../rules/person.ts';
import type { DeliveryPage } from '../types.ts';
import { Form } from '../../../pages/forms/form.tsx';
import { keptWords } from './words.ts';
import { Empty, FirstStep, ShowAll } from '../../../pages/list/empty.tsx';
import { Pager, Shown, twoWayPageIn } from '../../../pages/list/paging.tsx';
import { answerShell } from '../../../pages/shell.tsx';
import { FilterForm, writeFilter } from '../../../pages/list/filter.tsx';
import { dayMs, toIso } from '../../../kernel/clock.ts';
import { maxFailedRetentionDays } from '../../../rules/channels/channel.ts';
import { deliveriesPath as path, deliveryFilter, readQuery } from './asked.ts';
import type { DeliveryQuery } from './asked.ts';
import { channelsPath, channelTabPath } from '../../../pages/paths.ts';
import { Outcome, Progress, ReplaySince } from './replay-parts.tsx';
import { canRetry, DeliveryRows } from './rows.tsx';
import { deliveryLog } from './delivery.tsx';
import { deliveriesExport } from './export.ts';
import { ExportLink } from '../../../pages/list/export.tsx';
import { replayPages } from './replay.tsx';
import { zoneIn } from '../../../pages/zone.ts';
import { channelField, hasChannel } from '../../channels/index.ts';
import type { ChannelField } from '../../channels/index.ts';

/** Seconds between two refreshes of the page. */
const calmSeconds = 5;
const busySeconds = 2;

async function show(context: SignedInContext): Promise<void> {
  const field = await channelField(context);
  answerShell(context, {
    title: 'Deliveries',
    at: path,
    children: (
      <>
        {(await hasChannel(context)) ? (
          await log(context, field)
        ) : (
          <FirstStep path={channelsPath} word="Connect a channel">
            Deliveries belong to a channel, and there is none yet.
          </FirstStep>
        )}
      </>
    ),
  });
}

async function log(context: SignedInContext, field: ChannelField): Promise<VNode> {
  const filter = await deliveryFilter(context, field);
  const { asked, here } = readQuery(filter, context);
  return (
    <>
      <FilterForm path={path} filter={filter} query={here} />
      {field.choices ?? (await listed(context, asked, here, field))}
    </>
  );
}

async function listed(
  context: SignedInContext,
  asked: DeliveryQuery,
  here: string,
  { channel }: ChannelField,
): Promise<VNode> {
  const { query, caller, world } = context;
  const [page, replay] = await Promise.all([
    listAccountDeliveries(world, caller, asked, twoWayPageIn(query)),
    replaysProgress(world, caller, asked.channelId, asked.endpointId),
  ]);
  const isBusy = replay?.isRunning === true || page.items.some(({ state }) => state === 'pending');
  return (
    <>
      <Outcome query={query} />
      <p id="log-news" class="news" role="status" />
      <div id="log" data-fresh={isBusy ? busySeconds : calmSeconds}>
        <Progress replay={replay} />
        <List context={context} asked={asked} here={here} page={page} />
      </div>
      {mayAs(context.visitor.role, 'developer') ? (
        <ReplaySince
          asked={asked}
          channel={channel}
          now={context.clock.now()}
          zone={zoneIn(context.request)}
        />
      ) : null}
    </>
  );
}

interface ListProps {
  context: SignedInContext;
  asked: DeliveryQuery;
  /** The filter as a query. */
  here: string;
  page: DeliveryPage;
}

function List({ context, asked, here, page }: ListProps): VNode {
  const { items, nextCursor, channels, endpoints } = page;
  const areSelectable = mayAs(context.visitor.role, 'developer') && items.some(canRetry);
  const now = context.clock.now();
  const bulk = (
    <>
      {areSelectable ? (
        <>
          <button class="quiet">Send the selected ones again</button>
          <AllMatching asked={asked} now={now} />
        </>
      ) : null}
      <CopyIds />
    </>
  );
  const rows = (
    <DeliveryRows
      deliveries={items}
      {...{ channels, endpoints, now, areSelectable, bulk }}
      maxAttempts={maxAttempts(context.world)}
    />
  );
  const back = here === '' ? path : `${path}?${here}`;
  return (
    <>
      {items.length === 0 ? (
        <None asked={asked} goesOn={nextCursor !== null} logDays={portalTerms(context.world).logDays} />
      ) : areSelectable ? (
        <Form action={`${path}/again`} csrf={context.csrf}>
          <input type="hidden" name="back" value={back} />
          {rows}
        </Form>
      ) : (
        rows
      )}
      <Shown items={items} now={now} />
      <Pager path={back} page={page} />
      {items.length === 0 ? null : <ExportLink path={path} query={here} />}
    </>
  );
}

/** All failed ones that match the filter, on other pages too: the next page asks with their number. */
function AllMatching({ asked, now }: { asked: DeliveryQuery; now: number }): VNode | null {
  const { channelId, endpointId, event, state, since, until } = asked;
  if (state === 'delivered' || state === 'pending') return null;
  const from = toIso(since ?? now - maxFailedRetentionDays * dayMs);
  const which = {
    'replay-channel': channelId,
    endpoint: endpointId,
    event,
    since: from,
    until: until === null ? null : toIso(until),
  };
  return (
    <a class="button quiet" href={`${path}/replay?${writeFilter(which)}`}>
      Send all failed ones that match again …
    </a>
  );
}

/** Copies the ids of the selected deliveries, or of all if none is selected: `client/copy.ts` reads them from the rows. */
function CopyIds(): VNode {
  return (
    <button type="button" class="quiet" id="copy-ids" data-copy="">
      Copy the ids
    </button>
  );
}

interface NoneProps {
  asked: DeliveryQuery;
  goesOn: boolean;
  logDays: number;
}

function None({ asked, goesOn, logDays }: NoneProps): VNode {
  const { channelId, endpointId, event, state, since, until } = asked;
  if (goesOn) return <Empty>None among the newest deliveries. Older ones may be on the next page.</Empty>;
  if ([endpointId, event, state, since, until].some((each) => each !== null))
    return (
      <Empty>
        <p>No deliveries match. Choose another channel, event, state or time. {keptWords(logDays)}</p>
        <ShowAll path={path} />
      </Empty>
    );
  return (
    <Empty>
      <p>
        No delivery yet. Each event that is POSTed to your receiver appears here, with every attempt. It needs
        a channel with a webhook.
      </p>
      <a class="button" href={channelId === null ? channelsPath : channelTabPath(channelId, 'webhook')}>
        {channelId === null ? 'Open a channel' : 'See its webhook'}
      </a>
    </Empty>
  );
}

export const deliveryPages: FeaturePages = {
  routes: [
    signedInPage({ get: path, name: 'deliveriesPage', open: show }),
    deliveriesExport,
    ...replayPages,
    ...deliveryLog,
  ],
  place: { path: path, name: 'Deliveries', icon: 'arrowRight', group: 'Monitor' },
};
