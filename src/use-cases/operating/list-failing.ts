import { keepActivity } from '../channels/keep-activity.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { FailingChannel } from './types.ts';

const mostShown = 1_000;

/** As this node knows it at once, as the others do within a minute. Throws StoreUnavailable. */
export async function listFailing(deps: UseCaseDeps): Promise<FailingChannel[]> {
  await keepActivity(deps);
  const failing: FailingChannel[] = [];
  for (const health of await deps.stores.health.failing(mostShown)) {
    const channel = await deps.stores.channels.byId(health.channelId);
    if (channel !== null) failing.push({ channel, health });
  }
  return failing;
}
