/** The events that the receiver got about one person, and hand-written webhook POSTs of upstream. */
import { Contract } from './contract.ts';
import { until } from './until.ts';
import type { Arrival } from './inbox.ts';
import { person } from './world.ts';
import type { Channel, World } from './world.ts';

export type Envelope = Arrival['event'];

/** The events about this person on this channel so far, in order of arrival. */
export function eventsAbout(world: World, channel: Channel, who: string): Envelope[] {
  return world.inbox.arrivals
    .map(({ event }) => event)
    .filter(({ channel_id: id, data }) => id === channel.id && (data['from'] ?? data['recipient']) === who);
}

/**
 * Like `eventsAbout`, once `count` events have arrived and nothing further can be in flight: the service has answered all webhooks of
 * upstream and has no pending delivery.
 */
export async function allEventsAbout(
  world: World,
  channel: Channel,
  who: string,
  count: number,
): Promise<Envelope[]> {
  await until(`${count} events about ${who} (there are ${eventsAbout(world, channel, who).length})`, () => {
    return eventsAbout(world, channel, who).length >= count;
  });
  await quiet(world, channel);
  return eventsAbout(world, channel, who);
}

/** Resolves once no webhook of upstream waits for its answer and the channel has no pending delivery. */
export async function quiet(world: World, channel: Channel): Promise<void> {
  await until(`nothing on its way to or from ${channel.id}`, async () => {
    const { webhooks_waiting: waiting } = await world.simulator.control('sends/summary');
    const { body } = await world.service.admin('GET', `/channels/${channel.id}`);
    return waiting === 0 && body.deliveries_pending === 0;
  });
}

/** POSTs this body as a webhook of upstream; returns the status that the service answered. */
export async function postAsUpstream(world: World, body: unknown, signature = 'good'): Promise<number> {
  const { answers } = await world.simulator.control('webhooks/raw', { body, signature });
  return answers[0];
}

/** The body of a webhook POST with these `messages` or `statuses` of a phone number. [upstream §4.1] */
export function phonePost(phoneNumberId: string, value: Record<string, unknown>): Record<string, unknown> {
  const metadata = { display_phone_number: '15550100042', phone_number_id: phoneNumberId };
  const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
  return { object: 'whatsapp_business_account', entry: [{ id: '311200000000001', changes: [change] }] };
}

/** A text message inside such a POST. */
export function phoneText(id: string, text: string, from: string = person.chatapp): Record<string, unknown> {
  return { id, from, timestamp: '1767225600', type: 'text', text: { body: text } };
}

/** The body of a webhook POST with these items of a page or a photoapp account. [upstream §4.7, §4.8] */
export function threadPost(
  object: 'page' | 'instagram',
  id: string,
  messaging: readonly unknown[],
): Record<string, unknown> {
  return { object, entry: [{ id, time: Date.now(), messaging }] };
}

/** For an `afterAll`: checks every POST that the receiver got against the `webhooks` of the contract, then closes the world. */
export async function checkWebhooksAndClose(world: World): Promise<void> {
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
