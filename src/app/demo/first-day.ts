/**
 * Content for the portal of the demo account: messages in both directions, a retried delivery, one that is given up, a failed send. The
 * service and the simulator produce all of it, so that all pages agree.
 */
import { ask } from './ask.ts';
import type { Connected, ConnectedChannel } from './connect.ts';
import { addresses, people } from './people.ts';
import type { Places } from './programs.ts';

const sends = ['Good morning! We open at eight.', 'Your order is ready for pick-up.', 'See you tomorrow.'];
const writes = ['Hello, are you open?', 'Is my order ready?', 'Thank you!'];

/** One more than the retries of the demo, so that the delivery is given up. */
const everyAttempt = 8;

/** Resolves when everything has begun; the retries of deliveries continue. */
export async function liveFirstDay(places: Places, { apiKey, channels }: Connected): Promise<void> {
  const key = { 'x-api-key': apiKey };
  await Promise.all(channels.map((channel) => talk(places, key, channel)));
  const [phone] = channels;
  if (phone === undefined) return;
  await sendTemplate(places, key, phone);
  await pressQuickReply(places, phone);
  await failSend(places, key, phone);
  await failDeliveries(places, phone);
}

type Key = Record<string, string>;

async function talk({ service, simulator }: Places, key: Key, channel: ConnectedChannel): Promise<void> {
  const [person] = people[channel.type];
  const address = addresses[channel.type];
  for (const [at, text] of sends.entries()) {
    await ask.post(`${simulator}/control/people/write`, { channel: address, from: person, text: writes[at] });
    const send = { channel_id: channel.id, recipient: person, text };
    await ask.post(`${service}/api/v1/messages/send`, send, key);
  }
  await ask.post(`${simulator}/control/people/read`, { channel: address, from: person });
}

async function sendTemplate({ service }: Places, key: Key, { id, type }: ConnectedChannel): Promise<void> {
  const filled = {
    header: ['Harbour Bakery'],
    body: ['Mia', 'A-1007'],
    buttons: [
      { index: 0, value: 'A-1007' },
      { index: 1, value: 'thanks-A-1007' },
    ],
  };
  await ask.post(
    `${service}/api/v1/messages/send-template`,
    {
      channel_id: id,
      recipient: people[type][0],
      template_name: 'order_ready',
      language: 'en_US',
      variables: filled,
    },
    key,
  );
}

/** The person presses what the template offers. */
async function pressQuickReply({ simulator }: Places, { type }: ConnectedChannel): Promise<void> {
  const press = { type: 'button', payload: 'thanks-A-1007' };
  await ask.post(`${simulator}/control/people/write`, {
    channel: addresses[type],
    from: people[type][0],
    ...press,
  });
}

/** A send to a number that the platform does not know. */
async function failSend(
  { service, simulator }: Places,
  key: Key,
  { id, type }: ConnectedChannel,
): Promise<void> {
  const [, , unknown] = people[type];
  await ask.post(`${simulator}/control/faults`, {
    match: { recipient: unknown },
    act: 'refuse',
    code: 131026,
  });
  const send = { channel_id: id, recipient: unknown, text: 'Does this number exist?' };
  await ask.post(`${service}/api/v1/messages/send`, send, key);
}

/** The receiver rejects the message of one person once, and that of another at every attempt. */
async function failDeliveries({ simulator, receiver }: Places, { type }: ConnectedChannel): Promise<void> {
  const [once, always] = people[type];
  for (const [from, times, text] of [
    [once, 1, 'Could you call me back?'],
    [always, everyAttempt, 'Do you bake on Sundays?'],
  ] as const) {
    await fetch(`${receiver}/fail?status=500&times=${times}&from=${from}`, { method: 'POST' });
    await ask.post(`${simulator}/control/people/write`, { channel: addresses[type], from, text });
  }
}
