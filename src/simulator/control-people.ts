import type { Router } from 'express';
import { emitDelivery } from './after-send.ts';
import { asBag, asFlag, asList, asNumber, asText, type Bag } from './bag.ts';
import { findPerson } from './businesses.ts';
import { oneOf, refuseUnknown, required, tell, type Told } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import {
  contactOf,
  given,
  senderOf,
  emitAny,
  emitEcho,
  emitMessaging,
  emitPhone,
  emitReads,
  emitStatus,
  fromPerson,
  raise,
  type Heard,
} from './events.ts';
import { findTitle } from './graph-error.ts';
import { wordChatapp } from './inbound-chatapp.ts';
import { wordPage } from './inbound-page.ts';
import { withPress } from './pressed.ts';
import { writeMembers } from './write-members.ts';
import { kindOf, type Conversation, type Page, type Phone, type Photo } from './model.ts';
import { identityOf, noteExchange } from './user-ids.ts';
import type { World } from './world.ts';

/** Actions of people and of the business's own staff: write, read, block, write outside the service; and scripted statuses. */
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
  router.post(
    '/business/write',
    control((ask) => businessWrites(world, ask)),
  );
  router.post(
    '/statuses',
    control((ask) => statusByHand(world, ask)),
  );
}

type Written = Told & { readonly id: string; readonly media: readonly { id: string; url: string }[] };

const saidKept = 50;

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
  note(conversation, 'person', conversation.lastInboundAt, id, ask);
  const contacts = isWithoutContact(ask) ? {} : { contacts: [contact] };
  // The number receives nothing from people whom it blocked.
  const isUnwanted = channel.blocked.has(from);
  const value = { ...contacts, messages: [{ ...sender, ...worded.message }] };
  const told = await tell(ask, (heard) =>
    Number(!isUnwanted && emitPhone(world, channel, 'messages', 'message', value, heard)),
  );
  return { id, media: worded.media, ...told };
}

/** Records a line for the chat page. An event about another message can't be answered, so its line has no id. */
function note(
  conversation: Conversation,
  who: 'person' | 'business',
  at: number,
  id: string,
  ask: Bag,
): void {
  const type = asText(ask.type) ?? 'text';
  const text = asText(ask.text) ?? asText(ask.caption) ?? '';
  const files = (asList(ask.attachments) ?? []).map((file) => asText(asBag(file)?.type) ?? 'file');
  const shown =
    files.length > 0 ? `[${files.join(', ')}] ${text}` : type === 'text' ? text : `[${type}] ${text}`;
  conversation.said.push({ at, who, text: shown.trim(), id: isAboutAnother.has(type) ? null : id });
  if (conversation.said.length > saidKept) conversation.said.shift();
}

const isAboutAnother = new Set(['reaction', 'edit', 'revoke', 'delete', 'referral', 'optin']);

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
  note(conversation, 'person', conversation.lastInboundAt, id, ask);
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

/** The business's staff write outside the service; `ask` is the body of the control call. */
export async function businessWrites(world: World, ask: Bag): Promise<Written> {
  const channel = world.channel(asText(ask.channel));
  const to = required(ask, 'to');
  if (channel.type === 'phone') return phoneAppWrites(world, channel, to, ask);
  const { id, member, media } = wordPage(world, channel, ask);
  const message = member.message;
  if (typeof message !== 'object') throw new Error('the business writes messages, not other events');
  note(world.conversation(channel.id, to), 'business', world.now(), id, ask);
  const isNew = asText(ask.type) !== 'delete';
  if (isNew) world.noteSent(channel.id, to, id, null);
  // [upstream protocol 4.7] The inbox sends the id of its own app or none.
  const app = asNumber(ask.app_id) === undefined ? {} : { app_id: asNumber(ask.app_id) };
  const told = await tell(ask, (heard) =>
    Number(emitEcho(world, channel, to, { ...app, ...message }, heard)),
  );
  if (isNew && channel.type === 'page' && asFlag(ask.statuses) !== false) {
    world.later(world.settings.status_delay_ms, () => emitDelivery(world, channel, to, id));
  }
  return { id, media, ...told };
}

async function phoneAppWrites(world: World, phone: Phone, to: string, ask: Bag): Promise<Written> {
  if (!phone.dualUse) throw new Error(`${phone.id} is not dual-use: there is no phone app to write from`);
  const worded = wordChatapp(world, phone, to, ask);
  const id = asText(worded.message.id) ?? '';
  note(world.conversation(phone.id, to), 'business', world.now(), id, ask);
  const { waId, userId } = identityOf(world, phone, to);
  const contacts = userId === undefined ? {} : { contacts: [given({ wa_id: waId, user_id: userId })] };
  const recipient = given({ to: waId, to_user_id: userId });
  const value = { ...contacts, message_echoes: [{ from: phone.digits, ...recipient, ...worded.message }] };
  const isNew = !['revoke', 'edit', 'reaction'].includes(asText(ask.type) ?? 'text');
  if (isNew) world.noteSent(phone.id, to, id, null);
  const told = await tell(ask, (heard) =>
    Number(emitPhone(world, phone, 'smb_message_echoes', 'smb_echo', value, heard)),
  );
  if (isNew && asFlag(ask.statuses) !== false) {
    const status = { id, to, status: 'delivered', tag: null };
    world.later(
      world.settings.status_delay_ms,
      () => void emitStatus(world, phone, { ...status, at: world.now() }),
    );
  }
  return { id, media: worded.media, ...told };
}

async function statusByHand(world: World, ask: Bag): Promise<Told> {
  const sent = world.sentById.get(asText(ask.id) ?? '');
  const channel = sent?.channel ?? world.channel(asText(ask.channel));
  const to = asText(ask.to) ?? sent?.recipient ?? '';
  const status = required(ask, 'status');
  if (sent && (status === 'sent' || status === 'delivered' || status === 'read' || status === 'failed'))
    raise(world, sent, status);
  if (channel.type !== 'phone')
    return tell(ask, (heard) => Number(pageStatus(world, channel, to, status, ask, heard)));
  const tag = asText(ask.tag) ?? sent?.tag ?? null;
  const code = asNumber(ask.code) ?? 131000;
  const error =
    status === 'failed'
      ? { code, title: asText(ask.title) ?? findTitle(code), details: asText(ask.details) }
      : undefined;
  const at = asNumber(ask.at) ?? world.now();
  const told = { id: required(ask, 'id'), to, status, tag, at, error, group: asText(ask.group_id) };
  return tell(ask, (heard) => Number(emitStatus(world, channel, told, heard)));
}

function pageStatus(
  world: World,
  channel: Page | Photo,
  to: string,
  status: string,
  ask: Bag,
  heard: Heard,
): boolean {
  const at = asNumber(ask.at) ?? world.now();
  const watermark = asNumber(ask.watermark) ?? at;
  const id = asText(ask.id);
  const conversation = world.conversation(channel.id, to);
  if (status === 'delivered' && channel.type === 'page') {
    const delivery = { ...(id === undefined ? {} : { mids: [id] }), watermark };
    return emitMessaging(
      world,
      channel,
      'delivery',
      fromPerson(channel, to, at, { delivery }),
      conversation,
      heard,
    );
  }
  if (status !== 'read') throw new Error(`${kindOf(channel)} has no ${status} receipt`);
  const read = channel.type === 'page' ? { watermark } : { mid: id };
  return emitMessaging(world, channel, 'read', fromPerson(channel, to, at, { read }), conversation, heard);
}
