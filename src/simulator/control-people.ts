import type { Router } from 'express';
import { asBag, asNumber, asText, type Bag } from './bag.ts';
import { findPerson } from './businesses.ts';
import { oneOf, refuseUnknown, required, tell, type Told } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import { contactOf, emitAny, emitMessaging, emitPhone, fromPerson, senderOf } from './events.ts';
import { wordChatapp } from './inbound-chatapp.ts';
import { wordPage } from './inbound-page.ts';
import { kindOf, type Conversation, type Page, type Photo } from './model.ts';
import { withPress } from './pressed.ts';
import { emitReads } from './receipts.ts';
import { noteExchange } from './user-ids.ts';
import type { World } from './world.ts';
import { writeMembers } from './write-members.ts';
import { noteLine, type Written } from './written.ts';

/** What people do: write, read, block, and what upstream tells of them. */
export function addPeopleRoutes(router: Router, control: ControlRoute, world: World): void {
  router.post(
    '/people/write',
    control((ask) => {
      refuseUnknown(ask, writeMembers);
      return asNumber(ask.count) === undefined ? personWrites(world, ask) : crowd(world, ask);
    }),
  );
  router.post(
    '/people/read',
    control((ask) => personReads(world, ask)),
  );
  router.post(
    '/people/block',
    control((ask) => setBlocked(world, ask, true)),
  );
  router.post(
    '/people/unblock',
    control((ask) => setBlocked(world, ask, false)),
  );
  router.post(
    '/people/thread',
    control((ask) => setOwner(world, ask)),
  );
  router.post(
    '/people/event',
    control((ask) => anyEvent(world, ask)),
  );
}

/** The same person's `count` messages in as few POSTs as the platform would use. */
async function crowd(world: World, ask: Bag): Promise<Told> {
  const one = { ...ask, count: undefined, id: undefined };
  const written: Promise<Written>[] = [];
  world.webhooks.together(() => {
    for (let n = 0; n < (asNumber(ask.count) ?? 0); n += 1) written.push(personWrites(world, one));
  });
  const told = await Promise.all(written);
  return { webhooks: told.reduce((sum, { webhooks }) => sum + webhooks, 0) };
}

/** A person writes; `call` is the body of the control call. */
export async function personWrites(world: World, call: Bag): Promise<Written> {
  const channel = world.channel(asText(call.channel));
  const from = required(call, 'from');
  const ask = withPress(world.conversation(channel.id, from).offer, call);
  const person = findPerson(world, kindOf(channel), channel.id, from, { name: asText(ask.name) });
  const conversation = world.conversation(channel.id, from);
  conversation.lastInboundAt = asNumber(ask.at) ?? world.now();
  if (channel.type !== 'phone') return pagePersonWrites(world, channel, conversation, from, ask);
  noteExchange(world, channel, from);
  const worded = wordChatapp(world, channel, from, ask);
  // [upstream protocol 4.1] People with a user name do not show their number.
  const isHidden = ask.hide_number === true;
  const parent = asText(ask.parent_user_id);
  const sender = {
    ...senderOf(world, channel, from),
    ...(isHidden ? { from: undefined } : {}),
    // Some payloads carry the user id in place of the number.
    ...(ask.user_id_as_from === true ? { from: person.userId } : {}),
    // Others name the person in the contact alone.
    ...(ask.sender_in_contact === true ? { from: undefined, from_user_id: undefined } : {}),
    ...(parent === undefined ? {} : { from_parent_user_id: parent }),
  };
  const contact = {
    ...contactOf(world, channel, from),
    ...(isHidden ? { wa_id: undefined } : {}),
    ...(parent === undefined ? {} : { parent_user_id: parent }),
  };
  const id = asText(worded.message.id) ?? '';
  noteLine(conversation, 'person', conversation.lastInboundAt, id, ask);
  const contacts = isWithoutContact(ask) ? {} : { contacts: [contact] };
  // The number receives nothing from people whom it blocked.
  const isUnwanted = channel.blocked.has(from);
  const value = { ...contacts, messages: [{ ...sender, ...worded.message }] };
  const told = await tell(ask, (heard) =>
    Number(!isUnwanted && emitPhone(world, channel, { field: 'messages', kind: 'message', value }, heard)),
  );
  return { id, media: worded.media, ...told };
}

// [upstream protocol 4.2] Upstream's own notices about a changed number or user id have no contact.
function isWithoutContact(ask: Bag): boolean {
  return asText(ask.type) === 'system' && asText(ask.system) !== 'customer_identity_changed';
}

async function pagePersonWrites(
  world: World,
  channel: Page | Photo,
  conversation: Conversation,
  from: string,
  ask: Bag,
): Promise<Written> {
  const { id, kind, member, media } = wordPage(world, channel, ask);
  noteLine(conversation, 'person', conversation.lastInboundAt, id, ask);
  const item = variantOf(ask, fromPerson(channel, from, conversation.lastInboundAt, member));
  const told = await tell(ask, (heard) =>
    Number(emitMessaging(world, channel, kind, item, conversation, heard)),
  );
  return { id, media, ...told };
}

/** Forms in which upstream was seen to word the same event: times as text, a reference in place of the sender's id. */
function variantOf(ask: Bag, item: Record<string, unknown>): Record<string, unknown> {
  const userRef = asText(ask.user_ref);
  return {
    ...item,
    ...(userRef === undefined ? {} : { sender: { user_ref: userRef } }),
    ...(ask.time_as_text === true ? { timestamp: String(item.timestamp) } : {}),
  };
}

/** A person reads what the business sent. */
export async function personReads(world: World, ask: Bag): Promise<Told> {
  const channel = world.channel(asText(ask.channel));
  const from = required(ask, 'from');
  return tell(ask, (heard) => emitReads(world, channel, from, asText(ask.message_id), heard));
}

function setBlocked(world: World, ask: Bag, blocked: boolean): { blocked: boolean } {
  world.conversation(world.channel(asText(ask.channel)).id, required(ask, 'from')).blocked = blocked;
  return { blocked };
}

async function setOwner(world: World, ask: Bag): Promise<Record<string, unknown>> {
  const channel = world.channel(asText(ask.channel));
  const from = required(ask, 'from');
  const owner = asText(ask.owner) ?? null;
  const conversation = world.conversation(channel.id, from);
  const { owner: previous } = conversation;
  conversation.owner = owner;
  if (channel.type === 'phone' || ask.tell !== true) return { owner };
  // [upstream protocol 4.9]
  const control = {
    previous_owner_app_id: previous ?? world.app.id,
    new_owner_app_id: owner ?? world.app.id,
  };
  const event = { field: 'messaging_handovers', section: 'messaging', kind: 'handover' } as const;
  const item = fromPerson(channel, from, world.now(), { pass_thread_control: control });
  const told = await tell(ask, (heard) => Number(emitAny(world, channel, { ...event, item }, heard)));
  return { owner, ...told };
}

/** Emits any event of a page or photoapp account, as upstream might word it. */
async function anyEvent(world: World, ask: Bag): Promise<Told> {
  const channel = world.channel(asText(ask.channel));
  if (channel.type === 'phone') throw new Error('events of numbers come by account-events or people/write');
  const member = asBag(ask.member) ?? {};
  const section = oneOf(ask, 'section', ['messaging', 'standby', 'changes'], 'messaging');
  const sent = fromPerson(channel, required(ask, 'from'), asNumber(ask.at) ?? world.now(), member);
  // Some events of upstream's own have no sender.
  const item = ask.without_sender === true ? { ...sent, sender: undefined } : sent;
  const event = { field: asText(ask.field) ?? 'messages', section, kind: 'any', item };
  return tell(ask, (heard) => Number(emitAny(world, channel, event, heard)));
}
