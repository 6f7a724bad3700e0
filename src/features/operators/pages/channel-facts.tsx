/** What is known of a channel: where it stands, whose it is, how it fares. */
import type { VNode } from 'preact';
import { tokenEnd } from '../../../rules/channels/channel.ts';
import { hostIn } from '../../../rules/url.ts';
import { Badge, Copyable, Fact } from '../../../pages/components.tsx';
import { Maybe } from '../../../pages/time.tsx';
import type { Account } from '../../accounts/index.ts';
import type { ChannelDiagnosis, DiagnosedEndpoint } from '../types.ts';
import { givenUpPath } from './given-up.tsx';
import { accountPath, nameAccount } from './shell.tsx';

interface FactsProps {
  diagnosis: ChannelDiagnosis;
  account: Account;
  now: number;
}

function Problems({
  problems,
  isSuspended,
}: Pick<ChannelDiagnosis, 'problems'> & { isSuspended: boolean }): VNode {
  return (
    <Fact name="Health">
      {isSuspended ? (
        <p>
          <Badge tone="bad">account_suspended</Badge> Sends are answered with 402
        </p>
      ) : null}
      {problems.map(({ code, detail }) => (
        <p>
          <Badge tone="bad">{code}</Badge> {detail}
        </p>
      ))}
      {problems.length === 0 && !isSuspended ? <Badge tone="good">well</Badge> : null}
    </Fact>
  );
}

export function ChannelFacts({ diagnosis, account, now }: FactsProps): VNode {
  const { channel, subscription, health, problems } = diagnosis;
  const isSuspended = account.suspendedAt !== null;
  return (
    <section class="card" aria-label="Channel">
      <dl class="facts">
        <Problems problems={problems} isSuspended={isSuspended} />
        <Fact name="Account">
          <a href={accountPath(account.id)}>
            <bdi>{nameAccount(account)}</bdi>
          </a>
        </Fact>
        <Fact name="Channel id">
          <Copyable text={channel.id} label="the channel id" />
        </Fact>
        <Fact name="Kind">
          {channel.channelType}, {channel.isActive ? 'active' : 'inactive'}
        </Fact>
        <Fact name="At the platform">{channel.identity ?? 'released'}</Fact>
        <Fact name="Token ends">
          <Maybe at={tokenEnd(channel)} now={now} />
        </Fact>
        <Fact name="Licence">
          {subscription === null ? 'none' : `${subscription.tier}, ${subscription.status}`}
        </Fact>
        <Fact name="Receiver">
          {hostIn(channel.webhookUrl) ?? 'none'}
          {health.lastFailure === null ? null : (
            <>
              , last failure: {health.lastFailure}, <Maybe at={health.deliveryFailedAt} now={now} />
            </>
          )}
        </Fact>
        {diagnosis.endpoints.map((endpoint) => (
          <Fact name="Endpoint">
            {hostIn(endpoint.url) ?? endpoint.id}, <EndpointState of={endpoint} now={now} />
          </Fact>
        ))}
        <Fact name="Given up">
          <a href={givenUpPath(channel.accountId)}>What its account’s receivers did not take</a>
        </Fact>
        <Fact name="Last heard">
          <Maybe at={health.inboundAt} now={now} />
        </Fact>
        <Fact name="Last delivered">
          <Maybe at={health.deliveredAt} now={now} />
        </Fact>
        <Fact name="Fails since">
          <Maybe at={health.failingSince} now={now} />
        </Fact>
      </dl>
    </section>
  );
}

function EndpointState({ of, now }: { of: DiagnosedEndpoint; now: number }): VNode {
  const { disabledAt, failingSince, lastFailure } = of;
  if (disabledAt !== null)
    return (
      <>
        disabled, <Maybe at={disabledAt} now={now} />
      </>
    );
  if (failingSince === null) return <>gets events</>;
  return (
    <>
      fails since <Maybe at={failingSince} now={now} />, last failure: {lastFailure ?? 'unknown'}
    </>
  );
}
