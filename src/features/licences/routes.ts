import { apiRoute } from '../route.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { LazyList } from '../../http/long-json.ts';
import { noBody } from '../../http/validation/request-body.ts';
import { pagingFields } from '../../http/validation/query.ts';
import { subscriptionOut, subscriptionsResponse } from './schemas.ts';
import { pageParameters } from '../../http/parameters.ts';

/** [spec: Subscriptions] */
export const subscriptionRoutes = [
  apiRoute({
    get: '/api/v1/subscriptions',
    name: 'listSubscriptions',
    needs: ['messages:read', 'channels:write'],
    tag: 'Subscriptions',
    summary: 'Lists the licences of the account and its free channel slots',
    description:
      'If `available_slots.<channel_type>.total` is positive, a new channel of that type can be added. A slot reserved by a setup flow whose code is not exchanged yet is not free.',
    parameters: pageParameters,
    body: noBody,
    success: { status: 200, schema: subscriptionsResponse },
    async answer({ caller, page }, { world, graceMs }) {
      const found = await listSubscriptions(world, caller, page);
      const moment = { now: found.asOf, graceMs };
      return {
        subscriptions: new LazyList(found.items, (item) => subscriptionOut.of({ ...item, moment })),
        total: found.items.length,
        active_total: found.activeTotal,
        available_slots: found.availableSlots,
        ...pagingFields(page, found.nextCursor),
      };
    },
  }),
];
