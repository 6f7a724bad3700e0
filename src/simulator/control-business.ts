import type { Router } from 'express';
import { emitDelivery } from './after-send.ts';
import { asFlag, asNumber, asText, type Bag } from './bag.ts';
import { required, tell, type Told } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import { emitEcho, emitMessaging, emitPhone, fromPerson, given, type Heard } from './events.ts';
import { findTitle } from './graph-error.ts';
import { wordChatapp } from './inbound-chatapp.ts';
import { wordPage } from './inbound-page.ts';
import { kindOf, type Page, type Phone, type Photo } from './model.ts';
import { emitStatus, raise } from './receipts.ts';
import { identityOf } from './user-ids.ts';
import type { World } from './world.ts';
import { noteLine, type Written } from './written.ts';

/** What the business's own staff write outside the service, and scripted statuses of what was sent. */
export function addBusinessRoutes(router: Router, control: ControlRoute, world: World): void {
  router.post(
    '/business/write',
    control((ask) => businessWrites(world, ask)),
  );
  router.post(
    '/statuses',
    control((ask) => statusByHand(world, ask)),
  );
}

/** The business's staff write outside the service; `ask` is the body of the control call. */
export async function businessWrites(world: World, ask: Bag): Promise<Written> {
  const channel = world.channel(asText(ask.channel));
  const to = required(ask, 'to');
  if (channel.type === 'phone') return phoneAppWrites(world, channel, to, ask);
  const { id, member, media } = wordPage(world, channel, ask);
  const message = member.message;
  if (typeof message !== 'object') throw new Error('the business writes messages, not other events');
  noteLine(world.conversation(channel.id, to), 'business', world.now(), id, ask);
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
  noteLine(world.conversation(phone.id, to), 'business', world.now(), id, ask);
  const { waId, userId } = identityOf(world, phone, to);
  const contacts = userId === undefined ? {} : { contacts: [given({ wa_id: waId, user_id: userId })] };
  const recipient = given({ to: waId, to_user_id: userId });
  const value = { ...contacts, message_echoes: [{ from: phone.digits, ...recipient, ...worded.message }] };
  const isNew = !['revoke', 'edit', 'reaction'].includes(asText(ask.type) ?? 'text');
  if (isNew) world.noteSent(phone.id, to, id, null);
  const told = await tell(ask, (heard) =>
    Number(emitPhone(world, phone, { field: 'smb_message_echoes', kind: 'smb_echo', value }, heard)),
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
