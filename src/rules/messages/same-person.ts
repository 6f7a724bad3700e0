/** Which names upstream says to be of one person. */
import type { ChannelFact } from './facts.ts';
import type { RecipientNames } from './recipient-names.ts';

/** `name` is of the person with the name `sameAs` from now on. */
export interface SamePerson {
  name: string;
  sameAs: string;
}

/** Shared by nearly all facts. */
const none: readonly SamePerson[] = [];

export function namesToldBy(fact: ChannelFact): readonly SamePerson[] {
  switch (fact.kind) {
    case 'inbound':
      return fact.userId === undefined ? none : namesOf(fact.from, fact.userId);
    case 'receipt':
      return fact.recipientUserId === undefined ? none : namesOf(fact.recipient, fact.recipientUserId);
    case 'person':
      return [
        ...(fact.userId === undefined ? none : namesOf(fact.from, fact.userId)),
        ...namesOf(fact.previousUserId, fact.userId ?? fact.from),
        // With ids the number that was given up leads to the new id already, until somebody else has it.
        ...(fact.previousUserId === undefined ? namesOf(fact.previousFrom, fact.from) : none),
      ];
    default:
      return none;
  }
}

/** Names told by the answer to a send to `recipient`. */
export function namesToldOf(recipient: string, { waId, userId }: RecipientNames): readonly SamePerson[] {
  if (waId === undefined && userId === undefined) return none;
  const person = userId ?? waId ?? recipient;
  return [...namesOf(waId, person), ...namesOf(recipient, waId ?? person)];
}

function namesOf(name: string | undefined, sameAs: string): readonly SamePerson[] {
  return name === undefined || name === '' || name === sameAs ? none : [{ name, sameAs }];
}
