/**
 * Did my endpoint get it, and why not: the list of deliveries over all channels.
 * [portal: Deliveries; operator-interface §2, DELIVERY_LOG_DAYS]
 */
import { portalTerms } from '../../portal-terms.ts';
import { signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import { listAccountDeliveries } from '../list-all.ts';
import { replaysProgress } from '../replay-all.ts';
import type { VNode } from 'preact';
import { mayAs } from '../../../rules/person.ts';
import type { DeliveryPage } from '../types.ts';
import { Form } from '../../../pages/forms/form.tsx';
import { keptWords } from './words.ts';
import { Empty, Pager, twoWayPageIn, FirstStep } from '../../../pages/components.tsx';
import { answerShell } from '../../../pages/shell.tsx';
import { FilterForm } from '../../../pages/list/filter.tsx';
import { deliveriesPath as path, deliveryFilter, readQuery } from './asked.ts';
import type { DeliveryQuery } from './asked.ts';
import { channelsPath, channelPath } from '../../../pages/paths.ts';
import { Outcome, Progress, ReplaySince } from './replay-parts.tsx';
import { canRetry, DeliveryRows } from './rows.tsx';
import { deliveryLog } from './delivery.tsx';
import { replayPages } from './replay.tsx';
import { chosenChannel } from '../../channels/index.ts';
import type { ChosenChannel } from '../../channels/index.ts';

/** Seconds between two refreshes of the page. */
const calmSeconds = 5;
const busySeconds = 2;

async function show(context: SignedInContext): Promise<void> {
  const choice = await chosenChannel(context);
  answerShell(context, {
    title: 'Deliveries',
    at: path,
    scripts: ['fresh.js', 'ticks.js'],
    children: (
      <>
        {choice.chosen === null ? (
          <FirstStep path={channelsPath} word="Connect a channel">
            Deliveries belong to a channel, and there is none yet.
          </FirstStep>
        ) : (
          await log(context, choice)
        )}
      </>
    ),
  });
}

async function log(context: SignedInContext, choice: ChosenChannel): Promise<VNode> {
  const { query, caller, world } = context;
  const filter = deliveryFilter(choice.options);
  const { asked, here } = readQuery(filter, query);
  const [page, replay] = await Promise.all([
    listAccountDeliveries(world, caller, asked, twoWayPageIn(query)),
    replaysProgress(world, caller, asked.channelId),
  ]);
  const isBusy = replay?.isRunning === true || page.items.some(({ state }) => state === 'pending');
  return (
    <>
      <FilterForm path={path} filter={filter} query={here} />
      <Outcome query={query} />
      <p id="log-news" class="news" role="status" />
      <div id="log" data-fresh={isBusy ? busySeconds : calmSeconds}>
        <Progress replay={replay} />
        <List context={context} asked={asked} here={here} page={page} channels={choice.channels} />
      </div>
      {mayAs(context.visitor.role, 'developer') ? (
        <ReplaySince asked={asked} options={choice.options} now={context.clock.now()} />
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
  channels: ChosenChannel['channels'];
}

function List({ context, asked, here, page, channels }: ListProps): VNode {
  const { items, nextCursor, areAllChannels } = page;
  const areTicked = mayAs(context.visitor.role, 'developer') && items.some(canRetry);
  const now = context.clock.now();
  const rows = <DeliveryRows deliveries={items} channels={channels} now={now} areTicked={areTicked} />;
  const copy = <CopyIds ids={items.map(({ id }) => id)} />;
  const back = here === '' ? path : `${path}?${here}`;
  return (
    <>
      {items.length === 0 ? (
        <None asked={asked} goesOn={nextCursor !== null} logDays={portalTerms(context.world).logDays} />
      ) : areTicked ? (
        <Form action={`${path}/again`} csrf={context.csrf}>
          <input type="hidden" name="back" value={back} />
          {rows}
          <div class="buttons">
            <button class="quiet">Send the ticked ones again</button>
            {copy}
          </div>
        </Form>
      ) : (
        <>
          {rows}
          {copy}
        </>
      )}
      {areAllChannels ? null : (
        <p class="dim">Of your first 200 channels. Choose a channel to see another’s.</p>
      )}
      <Pager path={back} page={page} />
    </>
  );
}

/** Copies the ids of the ticked deliveries, or of all if none is ticked. */
function CopyIds({ ids }: { ids: readonly string[] }): VNode {
  return (
    <button type="button" class="quiet" id="copy-ids" data-copy={ids.join('\n')} hidden>
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
  const { channelId, event, state, since } = asked;
  if (goesOn) return <Empty>None among the newest deliveries. Older ones may be on the next page.</Empty>;
  if (event !== null || state !== null || since !== null)
    return (
      <Empty>
        <p>No deliveries match. Choose another channel, event, state or day. {keptWords(logDays)}</p>
      </Empty>
    );
  return (
    <Empty>
      <p>
        No delivery yet. Each event that is POSTed to your receiver appears here, with every attempt. It needs
        a channel with a webhook.
      </p>
      <a class="button" href={channelId === null ? channelsPath : `${channelPath(channelId)}#webhook`}>
        {channelId === null ? 'Open a channel' : 'See its webhook'}
      </a>
    </Empty>
  );
}

export const deliveryPages: FeaturePages = {
  routes: [signedInPage({ get: path, name: 'deliveriesPage', open: show }), ...replayPages, ...deliveryLog],
  place: { path: path, name: 'Deliveries', icon: 'M3 12h13M11 6l6 6-6 6M21 4v16' },
};
