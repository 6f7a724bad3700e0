import { createHash } from 'node:crypto';
import type { Person, Phone, Waba } from './model.ts';
import type { World } from './world.ts';

const exchangeMs = 30 * 86_400_000;

/** How a person is named to one business: members without a value are not in webhooks. */
type Identity = {
  readonly waId: string | undefined;
  readonly userId: string | undefined;
  readonly parentUserId: string | undefined;
};

/** The person as webhooks of this number name them [upstream protocol 4.1]. */
export function identityOf(world: World, phone: Phone, waId: string): Identity {
  const person = world.phonePeople.get(waId);
  return {
    waId: person && isHidden(world, phone, person) ? undefined : waId,
    userId: (person && userIdFor(world, person, phone.waba)) ?? undefined,
    parentUserId: person?.parentUserId ?? undefined,
  };
}

/** A person with a username hides the number until both sides have written within 30 days. */
function isHidden(world: World, phone: Phone, person: Person): boolean {
  if (!person.hidesNumber) return false;
  return world.now() - world.conversation(phone.id, person.id).exchangedAt > exchangeMs;
}

/** Notes that the person wrote: with a message of the business shortly before, the two have exchanged messages. */
export function noteExchange(world: World, phone: Phone, waId: string): void {
  const conversation = world.conversation(phone.id, waId);
  if (world.now() - conversation.lastSentAt <= exchangeMs) conversation.exchangedAt = world.now();
}

/**
 * The person's user id for this account's portfolio. If ids are scoped, every portfolio but the first one has another id of letters and
 * digits, which is the same each time.
 */
function userIdFor(world: World, person: Person, waba: Waba): string | null {
  const { userId } = person;
  if (userId === null || !world.settings.scoped_user_ids) return userId;
  person.portfolio ??= waba.businessId;
  if (person.portfolio === waba.businessId) return userId;
  const hash = createHash('sha256').update(`${userId}|${waba.businessId}`).digest('base64');
  const scoped = `${userId.slice(0, 3)}${hash.replace(/[^A-Za-z0-9]/g, '').slice(0, 32)}`;
  world.dialled.set(scoped, person.id);
  return scoped;
}

/** Whether the business may use the id for the person: its own, or that of a parent portfolio. */
export function isUserIdOf(world: World, person: Person, waba: Waba, id: string): boolean {
  return id === userIdFor(world, person, waba) || id === person.parentUserId;
}
