/** The licence of a channel, chosen among those of its account. */
import type { VNode } from 'preact';
import { toIso } from '../../../kernel/clock.ts';
import type { Page } from '../../../kernel/paging.ts';
import { Choice } from '../../../pages/forms/field.tsx';
import { Form } from '../../../pages/forms/form.tsx';
import { wasField } from '../../../pages/forms/was.ts';
import type { SubscriptionWithChannels } from '../../licences/index.ts';
import type { PageContext } from '../../route.ts';
import type { ChannelDiagnosis } from '../types.ts';

/** The newest: an account may have thousands. */
export const licencesOffered = 50;

interface LicencesProps {
  context: PageContext;
  /** Where the form leads. */
  action: string;
  diagnosis: ChannelDiagnosis;
  licences: Page<SubscriptionWithChannels>;
}

/** The channel's own licence is offered too, however old it is. */
export function Licences({
  context,
  action,
  diagnosis,
  licences: { items, nextCursor },
}: LicencesProps): VNode {
  const { channel, subscription } = diagnosis;
  const isListed = items.some((each) => each.subscription.id === subscription?.id);
  const own = subscription === null || isListed ? [] : [{ subscription, channels: [channel] }];
  const options = [...own, ...items].map((each) => [each.subscription.id, licenceWords(each)] as const);
  return (
    <>
      <Form action={action} csrf={context.csrf} class="inline filter">
        <input type="hidden" name={wasField('subscription')} value={channel.subscriptionId ?? ''} />
        <Choice
          name="subscription"
          label="Licence"
          options={[...options, ['', 'none'] as const]}
          chosen={channel.subscriptionId ?? ''}
        />
        <button class="quiet">Bind it</button>
      </Form>
      {nextCursor === null ? null : (
        <p>
          The {licencesOffered} newest are offered. To an older one:{' '}
          <code>npm run admin -- bind-channel</code>
        </p>
      )}
    </>
  );
}

/** Described in full, because licences of one account often have the same tier and state. */
function licenceWords({ subscription, channels }: SubscriptionWithChannels): string {
  const { tier, source, status, expiresAt } = subscription;
  const until = expiresAt === null ? 'without end' : `until ${toIso(expiresAt).slice(0, 10)}`;
  const held = channels.map(({ name, channelType }) =>
    name === null ? channelType : `${name} (${channelType})`,
  );
  return [tier, source, status, until, held.join(', ') || 'no channel'].join(', ');
}
