import { signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import { licencePage, newestSlots } from '../newest-slots.ts';
import type { VNode } from 'preact';
import { shownStatus } from '../schemas.ts';
import { channelTypes } from '../../../rules/vocabulary.ts';
import type { SubscriptionWithChannels } from '../types.ts';
import { Badge } from '../../../pages/components.tsx';
import { Empty } from '../../../pages/list/empty.tsx';
import { More, pageIn } from '../../../pages/list/paging.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { WhenAndAgo } from '../../../pages/time.tsx';
import { answerShell } from '../../../pages/shell.tsx';
import { billingPath, channelPath } from '../../../pages/paths.ts';

/** Below more of them the slots would be out of sight. */
const fewLicences = 5;

async function show(context: SignedInContext): Promise<void> {
  const page = pageIn(context.query);
  const found = await licencePage(context.world, context.caller, page);
  const { used, free, ofNewest } = await newestSlots(context.world, context.caller);
  const slots = (
    <>
      <h2>Slots</h2>
      {ofNewest === null ? null : <p>Of your newest {ofNewest} licences.</p>}
      <Rows
        heads={['Kind', 'Used', 'Free', 'Free on pro']}
        rows={channelTypes.map((type) => [
          type,
          <span class="number">{used[type]}</span>,
          <span class="number">{free[type].total}</span>,
          <span class="number">{free[type].pro}</span>,
        ])}
      />
    </>
  );
  const isLong = found.items.length > fewLicences;
  answerShell(context, {
    title: 'Billing',
    at: billingPath,
    children: (
      <>
        <p>A licence holds one channel of each kind. A removed channel keeps its slot.</p>
        {isLong ? slots : null}
        {isLong ? <h2>Licences</h2> : null}
        {found.items.length === 0 ? (
          <Empty>
            <p>No licence. Ask the operators of this service for one.</p>
          </Empty>
        ) : (
          <Rows
            heads={['Tier', 'Source', 'State', 'Until', 'Channels']}
            rows={found.items.map((each) => row(each, context.clock.now(), context.graceMs))}
          />
        )}
        <More path={billingPath} page={page} next={found.nextCursor} />
        {isLong ? null : slots}
        <h2>What pro adds</h2>
        <p>
          Sending files, and receiving the files of inbound messages. On starter a file arrives as a note that
          there was one.
        </p>
      </>
    ),
  });
}

function row(each: SubscriptionWithChannels, now: number, graceMs: number): (VNode | string)[] {
  const status = shownStatus(each.subscription, { now, graceMs });
  const { tier, source, expiresAt } = each.subscription;
  return [
    tier,
    sourceWords[source],
    <Badge tone={status === 'active' ? 'good' : 'bad'}>{status}</Badge>,
    expiresAt === null ? 'no end' : <WhenAndAgo at={expiresAt} now={now} />,
    each.channels.length === 0 ? 'none yet' : <Holders channels={each.channels} />,
  ];
}

function Holders({ channels }: Pick<SubscriptionWithChannels, 'channels'>): VNode {
  return (
    <ul class="changes">
      {channels.map(({ id, name, channelType, isActive }) => (
        <li>
          <a href={channelPath(id)}>
            <bdi>{name ?? 'Without a name'}</bdi>
          </a>{' '}
          ({channelType}
          {isActive ? '' : ', removed'})
        </li>
      ))}
    </ul>
  );
}

/** [spec: SubscriptionsResponse] */
export const billingPages: FeaturePages = {
  routes: [signedInPage({ get: billingPath, name: 'billingPage', open: show })],
  place: { path: billingPath, name: 'Billing', icon: 'card', group: 'Account' },
};

/** Words for the source of a licence. */
export const sourceWords = { trial: 'trial', billing_provider: 'paid', enterprise: 'granted' } as const;
