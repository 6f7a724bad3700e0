/** The sessions of a person, as the person sees and ends them. A session is the record of its sign-in: a page that is read writes nothing. */
import type { Pass, Visitor } from '../../rules/person.ts';
import { fault } from '../../kernel/faults.ts';
import { hashSecret } from '../../kernel/ids.ts';
import { audit } from '../audit/index.ts';
import type { Snapshot } from '../audit/index.ts';
import type { World } from '../world.ts';

export interface Session extends Pick<Pass, 'id' | 'address' | 'agent' | 'createdAt'> {
  /** Accurate to an hour. */
  seenAt: number;
  isCurrent: boolean;
}

/** The newest first. `secret`: of the session that asks. */
export async function listSessions(world: World, by: Visitor, secret: string): Promise<Session[]> {
  const current = hashSecret(secret);
  return (await validSessions(world, by)).map(({ id, address, agent, createdAt, seenAt }) => ({
    id,
    address,
    agent,
    createdAt,
    seenAt: seenAt ?? createdAt,
    isCurrent: id === current,
  }));
}

/** Those of an earlier password are no sessions any more. */
async function validSessions({ stores, clock }: World, { personId }: Visitor): Promise<Pass[]> {
  const person = await stores.people.byId(personId);
  const all = await stores.passes.list(personId, 'session', clock.now());
  return all.filter(({ passwordVersion }) => passwordVersion === person?.passwordVersion);
}

/** Throws 404 `not_found`, also for a session of somebody else. */
export async function endSession(world: World, by: Visitor, id: string): Promise<void> {
  const ended = await world.stores.passes.takeOf(by.personId, id, 'session', world.clock.now());
  if (ended === null) throw fault('not_found', { what: 'Session' });
  const { agent, address } = ended;
  await audit(world, by.caller.by, 'session.ended', about(by, { agent, address }), null);
}

/** `secret`: of the session that stays. Returns how many have ended. */
export async function endOtherSessions(world: World, by: Visitor, secret: string): Promise<number> {
  const current = hashSecret(secret);
  const { passes } = world.stores;
  let ended = 0;
  for (const { id } of await validSessions(world, by)) {
    if (id === current) continue;
    if ((await passes.takeOf(by.personId, id, 'session', world.clock.now())) !== null) ended += 1;
  }
  const [before, after] = [ended + 1, 1].map((sessions) => about(by, { sessions }));
  await audit(world, by.caller.by, 'sessions.ended', before ?? null, after ?? null);
  return ended;
}

function about({ personId, caller: { accountId } }: Visitor, shown: Snapshot['shown']): Snapshot {
  return { accountId, subject: personId, shown };
}
