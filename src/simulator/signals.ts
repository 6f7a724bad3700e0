/** Calls to `/messages` that are no sends: marks as read, and typing [upstream protocol 3.1, 3.3]. */
import { asBag, asText, type Bag } from './bag.ts';
import { badParameter, GraphError } from './graph-error.ts';
import type { Page, Phone, Signal } from './model.ts';
import { addressee, checkConversation } from './send-page.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

const kept = 1_000;
const pageActions = ['mark_seen', 'typing_on', 'typing_off'] as const;

/** The answer to `status: read`, with or without typing; undefined: the call is a send. */
export function phoneSignal(world: World, phone: Phone, bag: Bag): Record<string, unknown> | undefined {
  if (bag.status === undefined) return undefined;
  if (bag.messaging_product !== 'whatsapp')
    throw badParameter('The parameter messaging_product is required.');
  if (bag.status !== 'read') throw badParameter('Param status must be one of {READ} - got an invalid value.');
  const id = asText(bag.message_id);
  if (id === undefined)
    throw new GraphError({ code: 131008, details: 'The parameter message_id is required.' });
  const typing = bag.typing_indicator;
  if (typing !== undefined && asBag(typing)?.type !== 'text')
    throw new GraphError({ code: 131009, details: "typing_indicator['type'] must be text" });
  const person = writerOf(world, phone, id);
  if (person === undefined) throw new GraphError({ code: 131009, details: 'message_id is not valid' });
  note(world, {
    channel: phone.id,
    person,
    id,
    actions: typing === undefined ? ['read'] : ['read', 'typing'],
  });
  return { success: true };
}

/** Who wrote this message to the number. */
function writerOf(world: World, phone: Phone, id: string): string | undefined {
  for (const [pair, { said }] of world.conversations) {
    const [channel, person] = pair.split('|');
    if (channel === phone.id && said.some((line) => line.who === 'person' && line.id === id)) return person;
  }
  return undefined;
}

/** The answer to a sender action: only the recipient. Undefined: the call is a send. */
export function pageSignal(
  world: World,
  page: Page,
  token: Token,
  bag: Bag,
): Record<string, unknown> | undefined {
  if (bag.sender_action === undefined) return undefined;
  const action = pageActions.find((one) => one === bag.sender_action);
  if (action === undefined) throw badParameter('Invalid sender_action');
  if (bag.message !== undefined) throw badParameter('Cannot have both message and sender_action');
  const { recipient, channel } = addressee(world, page, token, bag);
  checkConversation(world, { channel, recipient, isTagged: false });
  note(world, { channel: channel.id, person: recipient, id: null, actions: [action] });
  return { recipient_id: recipient };
}

function note(world: World, signal: Signal): void {
  if (world.signals.push(signal) > kept) world.signals.shift();
}
