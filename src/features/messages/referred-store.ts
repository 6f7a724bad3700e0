/** Messages that a call refers to by our id, with upstream's. */
import { makeDeliveryId } from '../../rules/events/built.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { steps } from './index-steps.ts';
import { deliveries as deliveriesEntity } from '../../storage/entities/deliveries.ts';
import { messages as messagesEntity } from '../../storage/entities/messages.ts';

type Place = Pick<Channel, 'id' | 'accountId'>;

interface Owner {
  ownerId: string;
  accountId: string;
}

/** Ten endpoints, and as many more as are removed within the log's retention by those who often change them. */
const maxOwners = 50;

export function referredStore(recordsOf: RecordsOf) {
  const messages = recordsOf(messagesEntity).only('recipient', 'state', 'upstreamIds');
  const deliveries = recordsOf(deliveriesEntity).only('event', 'person', 'upstreamId');
  const owners = recordsOf(deliveriesEntity).only('channelId', 'createdAt', 'id');
  return {
    sent: ({ id: channelId, accountId }: Place, id: string) => messages.one({ id, channelId, accountId }),
    /** The delivery of a received message or an echo: its id follows from the owner's, a channel or an endpoint, and the message's. */
    async delivered({ ownerId, accountId }: Owner, messageId: string) {
      for (const event of ['message.received', 'message.echo'] as const) {
        const id = makeDeliveryId(ownerId, messageId, event);
        const found = await deliveries.one({ id, channelId: ownerId, accountId });
        if (found !== null) return found;
      }
      return null;
    },
    /**
     * Owners of what is logged of the channel's endpoints, also of those that are disabled or removed, at most `maxOwners`: one step along the
     * log for each.
     */
    loggedOwners(channelId: string): Promise<string[]> {
      return steps(ownerOf(channelId, ''), maxOwners, async (range) => {
        const [next] = await owners.list({ by: 'log', range: { on: 'channelId', ...range }, limit: 1 });
        return next?.channelId ?? null;
      });
    },
  };
}
