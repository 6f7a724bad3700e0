import { bareItem, hearingOf, personIn } from './audience.ts';
import type { AppSubscription, Conversation, Page, Phone, Photo, Waba } from './model.ts';
import { identityOf } from './user-ids.ts';
import type { WebhookEvent } from './webhook-event.ts';
import type { World } from './world.ts';

/** Callbacks for the answers to a webhook's first attempts and to its last one; see `WebhookEvent`. */
export type Heard =
  | { readonly answered?: (answer: number) => void; readonly settled?: (answer: number) => void }
  | undefined;

/** A change of a number or a business account, under a field that an app subscribes to. */
type Change<V> = { readonly field: string; readonly kind: string; readonly value: V };

/** Emits a change of a number. Returns false if nobody is subscribed. */
export function emitPhone(
  world: World,
  phone: Phone,
  { field, kind, value }: Change<Record<string, unknown>>,
  heard?: Heard,
): boolean {
  const metadata = { display_phone_number: phone.digits, phone_number_id: phone.id };
  const item = { messaging_product: 'whatsapp', metadata, ...value };
  const url = urlFor(world, phone.waba, field, phone);
  if (url === undefined) return false;
  return emit(world, { url, field, kind, item, entryId: phone.waba.id, time: null, ...heard }, 'changes');
}

/** Emits an account-level change of a business account; the entry of some has another id [upstream protocol 4.5, 4.6]. */
export function emitWaba(
  world: World,
  waba: Waba,
  { field, kind, value, entryId = waba.id }: Change<unknown> & { readonly entryId?: string },
  heard?: Heard,
): boolean {
  const url = urlFor(world, waba, field, null);
  if (url === undefined) return false;
  return emit(world, { url, field, kind, item: value, entryId, time: world.now(), ...heard }, 'changes');
}

function emit(world: World, event: Omit<WebhookEvent, 'object' | 'section'>, section: 'changes'): boolean {
  world.webhooks.emit({ object: 'whatsapp_business_account', section, ...event });
  return true;
}

/** The callback URL: the number's, else the business account's, else the app's [upstream protocol 2.4]. Undefined: nobody is subscribed. */
function urlFor(world: World, waba: Waba, field: string, phone: Phone | null): string | undefined {
  const app = world.subscriptions.get('whatsapp_business_account');
  if (!waba.subscribed || !app || (app.fields && !app.fields.has(field))) return undefined;
  return phone?.override?.url ?? waba.override?.url ?? app.callbackUrl;
}

/** An event of a page or photoapp account, with the fields to subscribe to for it. */
type PageEvent = { readonly kind: string; readonly pageField: string; readonly photoField: string };

const pageEvents: Readonly<Record<string, PageEvent>> = {
  message: { kind: 'message', pageField: 'messages', photoField: 'messages' },
  echo: { kind: 'echo', pageField: 'message_echoes', photoField: 'messages' },
  delivery: { kind: 'delivery', pageField: 'message_deliveries', photoField: '' },
  read: { kind: 'read', pageField: 'message_reads', photoField: 'messaging_seen' },
  edit: { kind: 'edit', pageField: 'message_edits', photoField: 'message_edit' },
  reaction: { kind: 'reaction', pageField: 'message_reactions', photoField: 'message_reactions' },
  postback: { kind: 'postback', pageField: 'messaging_postbacks', photoField: 'messaging_postbacks' },
  referral: { kind: 'referral', pageField: 'messaging_referrals', photoField: 'messaging_referral' },
  optin: { kind: 'optin', pageField: 'messaging_optins', photoField: 'messaging_optins' },
};

/**
 * Emits a messaging event of a page or photoapp account. A page's field must be subscribed on app and page; photoapp events need only some
 * subscription of the page [upstream protocol 2.2]. If another app controls the thread, the event is in `standby`, a field of its own [4.9].
 */
export function emitMessaging(
  world: World,
  channel: Page | Photo,
  kind: string,
  item: Record<string, unknown>,
  conversation: Conversation | null,
  heard?: Heard,
): boolean {
  const event = pageEvents[kind];
  const page = channel.type === 'page' ? channel : channel.page;
  const object = channel.type === 'page' ? 'page' : 'instagram';
  const app = world.subscriptions.get(object);
  if (!event || app?.isActive !== true || !page.fields) return false;
  const section = conversation !== null && conversation.owner !== null ? 'standby' : 'messaging';
  const ownField = channel.type === 'page' ? event.pageField : event.photoField;
  const field = section === 'standby' ? 'standby' : ownField;
  const isHeard =
    (!app.fields || app.fields.has(field)) && (channel.type === 'photo' || page.fields.has(field));
  if (!isHeard) return false;
  const hearing = hearingOf(world, channel, personIn(channel, item));
  if (hearing === 'none' || (hearing === 'bare' && kind !== 'message')) return false;
  const heardItem = hearing === 'bare' ? bareItem(item) : item;
  const answered = (answer: number): void => {
    countRefusals(world, app, answer);
    heard?.answered?.(answer);
  };
  const common = { object, url: app.callbackUrl, entryId: channel.id, time: world.now() };
  world.webhooks.emit({
    ...common,
    section,
    field,
    kind,
    item: inUnit(world, heardItem),
    ...heard,
    answered,
  });
  return true;
}

/** Emits an event unchanged, if app and page are subscribed; `changes` is the section that upstream's own test events use. */
export function emitAny(
  world: World,
  channel: Page | Photo,
  event: {
    readonly field: string;
    readonly section: 'messaging' | 'standby' | 'changes';
    readonly kind: string;
    readonly item: Record<string, unknown>;
  },
  heard?: Heard,
): boolean {
  const page = channel.type === 'page' ? channel : channel.page;
  const object = channel.type === 'page' ? 'page' : 'instagram';
  const app = world.subscriptions.get(object);
  if (app?.isActive !== true || !page.fields || (app.fields && !app.fields.has(event.field))) return false;
  if (object === 'instagram' && !world.settings.app_published) return false;
  const common = { object, url: app.callbackUrl, entryId: channel.id, time: world.now() };
  world.webhooks.emit({ ...common, ...event, item: inUnit(world, event.item), ...heard });
  return true;
}

/** Upstream switches off the app's subscription of an object whose webhooks keep failing [upstream protocol 1.6]. */
function countRefusals(world: World, app: AppSubscription, answer: number): void {
  app.refusals = answer === 200 ? 0 : app.refusals + 1;
  const limit = world.settings.unsubscribe_after;
  if (limit > 0 && app.refusals >= limit) app.isActive = false;
}

function inUnit(world: World, item: Record<string, unknown>): Record<string, unknown> {
  const { timestamp } = item;
  if (!world.settings.seconds || typeof timestamp !== 'number') return item;
  return { ...item, timestamp: Math.floor(timestamp / 1000) };
}

/** A page event from the person to the business: sender, recipient, time in ms, and the member of its kind. */
export function fromPerson(
  channel: Page | Photo,
  personId: string,
  at: number,
  member: Record<string, unknown>,
): Record<string, unknown> {
  return { sender: { id: personId }, recipient: { id: channel.id }, timestamp: at, ...member };
}

/** The same in the other direction, for echoes. */
function fromBusiness(
  channel: Page | Photo,
  personId: string,
  at: number,
  member: Record<string, unknown>,
): Record<string, unknown> {
  return { sender: { id: channel.id }, recipient: { id: personId }, timestamp: at, ...member };
}

/** The contact of a chatapp message or status. */
export function contactOf(world: World, phone: Phone, waId: string): Record<string, unknown> {
  const person = world.phonePeople.get(waId);
  if (!person) return { wa_id: waId };
  const { waId: shown, userId, parentUserId } = identityOf(world, phone, waId);
  return {
    profile: { name: person.name, username: person.username },
    ...given({ wa_id: shown, user_id: userId, parent_user_id: parentUserId }),
  };
}

/** The sender of a chatapp message, as its members name them. */
export function senderOf(world: World, phone: Phone, waId: string): Record<string, unknown> {
  const { waId: from, userId, parentUserId } = identityOf(world, phone, waId);
  return given({ from, from_user_id: userId, from_parent_user_id: parentUserId });
}

/** The members that have a value. */
export function given(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Emits the echo of a message that the business sent; app and metadata are shown on pagechat only [upstream protocol 4.7, 4.8]. */
export function emitEcho(
  world: World,
  channel: Page | Photo,
  to: string,
  message: Record<string, unknown>,
  heard?: Heard,
): boolean {
  const conversation = world.conversation(channel.id, to);
  const item = fromBusiness(channel, to, world.now(), { message: { is_echo: true, ...message } });
  return emitMessaging(world, channel, 'echo', item, conversation, heard);
}
