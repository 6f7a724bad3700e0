import { asText, type Bag } from './bag.ts';
import { callingCodeOf } from './calling-codes.ts';
import { badParameter, GraphError } from './graph-error.ts';
import type { Phone } from './model.ts';
import { isUserIdOf } from './user-ids.ts';
import type { World } from './world.ts';

type Recipient = { readonly input: string; readonly waId: string; readonly userId: string | null };

/** The recipient named by `to` (a number) or `recipient` (a business-scoped user id). Throws GraphError 131009 or 100. */
export function recipientOf(world: World, phone: Phone, bag: Bag): Recipient {
  const to = asText(bag.to);
  if (to !== undefined && to !== '') return { input: to, waId: numberOf(world, phone, to), userId: null };
  const userId = asText(bag.recipient);
  if (userId === undefined) throw badParameter('The parameter to is required.');
  const waId = world.dialled.get(userId);
  const person = world.phonePeople.get(waId ?? '');
  const isForeign =
    world.settings.scoped_user_ids && person !== undefined && !isUserIdOf(world, person, phone.waba, userId);
  // The code for a wrong user id is a guess: no source shows one.
  if (waId === undefined || isForeign)
    throw new GraphError({ code: 131009, details: `Parameter 'recipient' is not a known user id` });
  return { input: userId, waId, userId };
}

function numberOf(world: World, phone: Phone, to: string): string {
  const digits = to.replace(/^\+/, '').replace(/[\s().-]/g, '');
  const { number_rules: isStrict } = world.settings;
  const isNumber = isStrict ? /^\d{7,15}$/ : /^\d{5,20}$/;
  if (!isNumber.test(digits))
    throw new GraphError({ code: 131009, details: `Parameter 'to' is not a valid phone number` });
  const dialled = isStrict && !to.startsWith('+') ? inCountry(phone, digits) : digits;
  return world.dialled.get(dialled) ?? dialled;
}

// [upstream's page on sending] Without `+` the sender's country code may be put in front: the message goes to another person.
function inCountry(phone: Phone, digits: string): string {
  if (callingCodeOf(digits) !== undefined) return digits;
  return `${callingCodeOf(phone.digits) ?? ''}${digits.replace(/^0+/, '')}`;
}
