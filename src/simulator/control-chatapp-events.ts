import type { Router } from 'express';
import { accountUpdateNames, wordAccountUpdate, type AccountUpdateName } from './account-updates.ts';
import { asBag, asNumber, asText, type Bag } from './bag.ts';
import { findPerson } from './businesses.ts';
import { oneOf, required, tell, type Told } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import { contactOf, emitPhone, emitWaba, senderOf, type Heard } from './events.ts';
import { findTitle } from './graph-error.ts';
import { newWamid } from './ids.ts';
import { wordChatapp } from './inbound-chatapp.ts';
import type { Phone, Waba } from './model.ts';
import { wordStatus } from './receipts.ts';
import type { World } from './world.ts';

/** Webhooks of chatapp that no call of the service causes: standby, handovers, account updates, errors alone [upstream protocol 4.6, 4.10]. */
export function addChatappEventRoutes(router: Router, control: ControlRoute, world: World): void {
  router.post(
    '/standby',
    control((ask) => standby(world, ask)),
  );
  router.post(
    '/handovers',
    control((ask) => handOver(world, ask)),
  );
  router.post(
    '/account-updates',
    control((ask) => updateAccount(world, ask)),
  );
  router.post(
    '/errors',
    control((ask) => errorsAlone(world, ask)),
  );
}

/** The phone number named by `channel`. Throws an Error for any other id. */
export function askedPhone(world: World, ask: Bag): Phone {
  const phone = world.channel(asText(ask.channel) ?? asText(ask.phone_number_id));
  if (phone.type !== 'phone') throw new Error(`${phone.id} is no phone number`);
  return phone;
}

/** The business account named by `waba_id`, or that of the number named by `channel`. */
export function askedWaba(world: World, ask: Bag): Waba {
  const id = asText(ask.waba_id);
  if (id === undefined) return askedPhone(world, ask).waba;
  const node = world.nodes.get(id);
  if (node?.type !== 'waba') throw new Error('no business account has this id');
  return node;
}

const standbyKinds = ['message', 'echo', 'status'] as const;

/** What happens in a conversation that the platform's own agent holds. */
async function standby(world: World, ask: Bag): Promise<Told & { id: string }> {
  const phone = askedPhone(world, ask);
  const kind = oneOf(ask, 'kind', standbyKinds, 'message');
  const { id, member } = { message, echo, status }[kind](world, phone, ask);
  const told = await tell(ask, (heard) =>
    Number(
      emitPhone(
        world,
        phone,
        { field: 'standby', kind: `standby:${kind}`, value: { standby: member } },
        heard,
      ),
    ),
  );
  return { id, ...told };
}

type Standby = { readonly id: string; readonly member: Record<string, unknown> };

function message(world: World, phone: Phone, ask: Bag): Standby {
  const from = required(ask, 'from');
  findPerson(world, 'chatapp', phone.id, from, { name: asText(ask.name) });
  world.conversation(phone.id, from).lastInboundAt = world.now();
  const worded = wordChatapp(world, phone, from, ask).message;
  const messages = [{ ...senderOf(world, phone, from), ...worded }];
  return { id: asText(worded.id) ?? '', member: { messages, contacts: [contactOf(world, phone, from)] } };
}

/** An echo of the agent's message: `message` is the body of a send [measured by others, 2026-09]. */
function echo(world: World, _phone: Phone, ask: Bag): Standby {
  const to = required(ask, 'to');
  const id = asText(ask.id) ?? newWamid(to);
  const sent = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to,
    type: 'text',
    text: { body: asText(ask.text) ?? 'The agent answers.' },
    ...asBag(ask.message),
  };
  const timestamp = String(Math.floor((asNumber(ask.at) ?? world.now()) / 1000));
  return { id, member: { message_echoes: [{ id, timestamp, message: sent, ...asBag(ask.raw) }] } };
}

function status(world: World, phone: Phone, ask: Bag): Standby {
  const to = required(ask, 'to');
  const id = asText(ask.id) ?? newWamid(to);
  const given = { id, to, status: asText(ask.status) ?? 'delivered', tag: null, at: world.now() };
  return { id, member: { statuses: [wordStatus(world, phone, given)] } };
}

/** The platform's agent passes a conversation: the value has no `metadata` [measured by others, 2026-09]. */
function handOver(world: World, ask: Bag): Promise<Told> {
  const phone = askedPhone(world, ask);
  const value = {
    messaging_product: 'whatsapp',
    recipient: { display_phone_number: phone.digits, phone_number_id: phone.id },
    sender: { phone_number: required(ask, 'from') },
    timestamp: String(Math.floor(world.now() / 1000)),
    type: 'control_passed',
    control_passed: {
      previous_owner_app_role: 'meta_business_agent',
      new_owner_role: 'default',
      ...asBag(ask.control_passed),
    },
  };
  const emit = (heard: Heard): number =>
    Number(emitWaba(world, phone.waba, { field: 'messaging_handovers', kind: 'handover', value }, heard));
  return tell(ask, emit);
}

function updateAccount(world: World, ask: Bag): Promise<Told> {
  const waba = askedWaba(world, ask);
  required(ask, 'event');
  return announceUpdate(world, waba, oneOf(ask, 'event', accountUpdateNames, 'ACCOUNT_DELETED'), ask);
}

/** Emits the update; the members of `ask.value` override its own, and `ask.entry_id` the id of its entry. */
export function announceUpdate(
  world: World,
  waba: Waba,
  event: AccountUpdateName,
  ask: Bag = {},
): Promise<Told> {
  const { entryId, value } = wordAccountUpdate(waba, event, world.app.id);
  const worded = { ...value, ...asBag(ask.value) };
  const entry = asText(ask.entry_id) ?? entryId;
  return tell(ask, (heard) =>
    Number(
      emitWaba(
        world,
        waba,
        { field: 'account_update', kind: 'account', value: worded, entryId: entry },
        heard,
      ),
    ),
  );
}

/** `value.errors` without a message or a status: a problem of the app, the account or the number. */
function errorsAlone(world: World, ask: Bag): Promise<Told> {
  const phone = askedPhone(world, ask);
  const code = asNumber(ask.code) ?? 130429;
  const title = asText(ask.title) ?? findTitle(code);
  const details = asText(ask.details) ?? title;
  const errors = [{ code, title, message: title, error_data: { details } }];
  return tell(ask, (heard) =>
    Number(emitPhone(world, phone, { field: 'messages', kind: 'errors', value: { errors } }, heard)),
  );
}
