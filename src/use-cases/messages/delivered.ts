/** Messages whose record is a delivery: what people write, and echoes. */
import { makeDeliveryId } from '../../domain/events/built.ts';
import type { Caller } from '../caller.ts';
import { findChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { LoggedDelivery } from '../ports/delivery-log.ts';

const bringing = ['message.received', 'message.echo'] as const;
/** A message's id does not say its channel: of an account with more, the first ones are looked at. */
const maxChannels = 50;

/** The deliveries that brought it, for as long as the log is kept; none: there is no such message. Throws 404 `not_found`. */
export async function deliveredMessage(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
  messageId: string,
): Promise<LoggedDelivery[]> {
  await findChannel(deps, caller, channelId);
  return findDelivered(deps, caller, channelId, messageId);
}

/** On which of the account's channels it was; null: on none that is known. */
export async function channelOfMessage(
  deps: UseCaseDeps,
  caller: Caller,
  messageId: string,
): Promise<string | null> {
  const { accountId } = caller;
  if (!mayBeMessageId(messageId)) return null;
  const sent = await deps.stores.messageLog.byId(messageId);
  if (sent !== null && sent.accountId === accountId) return sent.channelId;
  const { items } = await deps.stores.channels.list(accountId, { limit: maxChannels, cursor: null });
  const found = await Promise.all(items.map(({ id }) => findDelivered(deps, caller, id, messageId)));
  return found.flat()[0]?.channelId ?? null;
}

/** A UUID, with the number of its part behind it. [spec: message.received data, rule 2] */
function mayBeMessageId(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.\d{1,3})?$/.test(text);
}

async function findDelivered(
  { stores, clock, settings }: UseCaseDeps,
  { accountId }: Caller,
  channelId: string,
  messageId: string,
): Promise<LoggedDelivery[]> {
  const ids = bringing.map((event) => makeDeliveryId(channelId, messageId, event));
  const found = await stores.deliveryLog.among({ accountId, channelId, ids });
  return found.filter(({ createdAt }) => createdAt >= clock.now() - settings.deliveryLogMs);
}
