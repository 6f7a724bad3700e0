/** How an endpoint fares. */
import type { VNode } from 'preact';
import type { Channel } from '../../../rules/channels/channel.ts';
import type { ChannelHealth } from '../../../rules/channels/health.ts';
import { Badge, Fact } from '../../../pages/components.tsx';
import { channelTabPath, endpointDeliveriesPath } from '../../../pages/paths.ts';
import { WhenAndAgo } from '../../../pages/time.tsx';
import { storedFailureWords } from '../../deliveries/index.ts';
import type { Endpoint } from '../entity.ts';

interface FactsProps {
  channel: Channel;
  endpoint: Endpoint;
  /** null: nothing was delivered yet. */
  health: ChannelHealth | null;
  now: number;
}

export function EndpointFacts({ channel, endpoint, health, now }: FactsProps): VNode {
  const { failingSince = null, deliveredAt = null, lastFailure = null } = health ?? {};
  return (
    <dl class="facts card">
      <Fact name="State">
        <EndpointState endpoint={endpoint} isFailing={failingSince !== null} />
      </Fact>
      {endpoint.disabledAt === null ? null : (
        <Fact name="Disabled">
          <WhenAndAgo at={endpoint.disabledAt} now={now} />
        </Fact>
      )}
      {failingSince === null ? null : (
        <Fact name="Fails since">
          <WhenAndAgo at={failingSince} now={now} />{' '}
          {lastFailure === null ? '' : storedFailureWords(lastFailure)}
        </Fact>
      )}
      {deliveredAt === null ? null : (
        <Fact name="Last delivered">
          <WhenAndAgo at={deliveredAt} now={now} />
        </Fact>
      )}
      <Fact name="Order">
        {channel.ordered ? 'one at a time for each person' : 'as they come'}, as set for{' '}
        <a href={channelTabPath(channel.id, 'webhook')}>the channel</a>
      </Fact>
      <Fact name="Deliveries">
        <a href={endpointDeliveriesPath(channel.id, endpoint.id)}>Those of this endpoint</a>
      </Fact>
    </dl>
  );
}

interface StateProps {
  endpoint: Pick<Endpoint, 'disabledAt'>;
  isFailing: boolean;
}

export function EndpointState({ endpoint: { disabledAt }, isFailing }: StateProps): VNode {
  if (disabledAt !== null) return <Badge tone="idle">disabled</Badge>;
  return isFailing ? <Badge tone="bad">failing</Badge> : <Badge tone="good">gets events</Badge>;
}
