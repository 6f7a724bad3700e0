/** What a receiver was told about one person, and upstream POSTs written by hand. */
import { Contract } from './contract.ts';
import { until } from './until.ts';
import type { Arrival } from './inbox.ts';
import { person } from './world.ts';
import type { Channel, World } from './world.ts';

export type Envelope = Arrival['event'];

/** Everything about this person on this channel so far, in order of arrival. */
export function toldOf(world: World, channel: Channel, who: string): Envelope[] {
  return world.inbox.arrivals
    .map(({ event }) => event)
    .filter(({ channel_id: id, data }) => id === channel.id && (data['from'] ?? data['recipient']) === who);
}

/**
 * As `toldOf`, once `count` are there and everything upstream has told the channel by now is answered and POSTed: nothing
 * further can be on its way.
 */
export async function allTold(
  world: World,
  channel: Channel,
  who: string,
  count: number,
): Promise<Envelope[]> {
  await until(`${count} events about ${who} (there are ${toldOf(world, channel, who).length})`, () => {
    return toldOf(world, channel, who).length >= count;
  });
  await quiet(world, channel);
  return toldOf(world, channel, who);
}

/** No webhook of upstream is waiting for its answer, none of ours for its receiver. */
export async function quiet(world: World, channel: Channel): Promise<void> {
  await until(`nothing on its way to or from ${channel.id}`, async () => {
    const { webhooks_waiting: waiting } = await world.simulator.control('sends/summary');
    const { body } = await world.service.admin('GET', `/channels/${channel.id}`);
    return waiting === 0 && body.deliveries_pending === 0;
  });
}

/** Tells the service something of this upstream object and answers what it was answered. */
export async function tellRaw(world: World, body: unknown, signature = 'good'): Promise<number> {
  const { answers } = await world.simulator.control('webhooks/raw', { body, signature });
  return answers[0];
}

/** One POST with these `messages` (or `statuses`) of a number. [upstream §4.1] */
export function phonePost(phoneNumberId: string, value: Record<string, unknown>): Record<string, unknown> {
  const metadata = { display_phone_number: '15550100042', phone_number_id: phoneNumberId };
  const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
  return { object: 'whatsapp_business_account', entry: [{ id: '311200000000001', changes: [change] }] };
}

/** A text as a number's webhook words it. */
export function phoneText(id: string, text: string, from: string = person.chatapp): Record<string, unknown> {
  return { id, from, timestamp: '1767225600', type: 'text', text: { body: text } };
}

/** One POST with these items of a page or photo account. [upstream §4.7, §4.8] */
export function threadPost(
  object: 'page' | 'instagram',
  id: string,
  messaging: readonly unknown[],
): Record<string, unknown> {
  return { object, entry: [{ id, time: Date.now(), messaging }] };
}

/** The end of a test file that holds everything its receiver was ever told to the `webhooks` of the contract. */
export async function checkAndClose(world: World): Promise<void> {
  try {
    await checkTold(world);
  } finally {
    await world.close();
  }
}

async function checkTold(world: World): Promise<void> {
  const contract = await Contract.of(world.service.url);
  const problems = world.inbox.arrivals.flatMap(
    ({ event, headers }) => contract.problemOfWebhook(event.event, event, headers) ?? [],
  );
  if (problems.length > 0) throw new Error([...new Set(problems)].slice(0, 5).join('\n'));
}
