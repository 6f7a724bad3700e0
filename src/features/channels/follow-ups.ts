/**
 * What must follow a change of a channel, on record before the change: if its node dies in between, or an owner is out of reach, another turn
 * does it. Without it an owner that goes on would act under the settings of before for as long as it lives. [faults: 444, 445, 491]
 */
import { ownerOf, readOwner } from '../../rules/webhooks/endpoints.ts';
import { dayMs, minuteMs } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { announceChange } from './announce-change.ts';
import { endSubscription } from './deactivate.ts';
import type { FollowUp } from './entity.ts';

const perTurn = 100;
const reloadAgainMs = 30_000;
const leftForMs = 10 * minuteMs;
const unsubscribeAgainMs = 10 * minuteMs;
/** A token that upstream refuses ends no subscription. */
const unsubscribeForMs = 3 * dayMs;

type FollowUpWork = (world: World, due: FollowUp) => Promise<void>;

/** Does what is due; returns the number. `rebind` is of a feature that knows this one. Throws StoreUnavailable. */
export async function followUpChanges(world: World, rebind: FollowUpWork): Promise<number> {
  const work: Record<FollowUp['kind'], FollowUpWork> = { reload, unsubscribe, rebind };
  const due = await world.stores.followUps.due(world.clock.now(), perTurn);
  await Promise.all(due.map((each) => (each.kind in work ? work[each.kind] : leave)(world, each)));
  return due.length;
}

/** A newer build has put it on record, and knows what to do. */
function leave({ stores, clock }: World, due: FollowUp): Promise<void> {
  return stores.followUps.later(due, clock.now() + leftForMs);
}

/** Of a channel, its endpoints too. */
async function reload(world: World, due: FollowUp): Promise<void> {
  const { stores, clock } = world;
  const { channelId, endpointId } = readOwner(due.subject);
  const channel = endpointId === null ? await stores.channels.byId(channelId) : null;
  const endpoints = channel?.hasEndpoints === true ? await stores.endpoints.ofChannel(channelId) : [];
  const owners = [due.subject, ...endpoints.map(({ id }) => ownerOf(channelId, id))];
  const told = await Promise.all(owners.map((ownerId) => announceChange(world, ownerId)));
  if (told.every(Boolean)) await stores.followUps.done(due);
  else await stores.followUps.later(due, clock.now() + reloadAgainMs);
}

async function unsubscribe(world: World, due: FollowUp): Promise<void> {
  const { stores, clock, log } = world;
  try {
    await endSubscription(underRequest(world, newId()), due.subject);
  } catch (thrown) {
    const isLast = clock.now() - due.since > unsubscribeForMs;
    log.warn({ channel: due.subject, error: asError(thrown), isLast }, 'channel.unsubscribe-failed');
    if (isLast) await stores.followUps.done(due);
    else await stores.followUps.later(due, clock.now() + unsubscribeAgainMs);
  }
}
