/** An account with many channels, each with a name and a number of its own. */
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { connect } from '../../http/house.ts';
import { caller, now } from '../../http/support.ts';
import { aGrant, aSubscription } from '../../stores/conformance/samples.ts';
import { chatappProfile } from '../../support/profiles.ts';
import type { Service } from './service.ts';

const atOnce = 200;

/** Upstream's id of the number of `Shop n`. */
export const numberIdOf = (n: number): string => String(7_000_000_000_000 + n * 1_009);

/** Channels `Shop 1`, `Shop 2` … with the numbers +49 30 100001, +49 30 100002 …; in order of their creation. */
export async function connectMany(
  service: Service,
  count: number,
  settings: Parameters<typeof connect>[3] = {},
): Promise<Channel[]> {
  const all: Channel[] = [];
  for (let at = 1; at <= count; at += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - at + 1) }, (_, n) => at + n);
    all.push(...(await Promise.all(some.map((n) => connectOne(service, n, settings)))));
  }
  return all;
}

async function connectOne(
  service: Service,
  n: number,
  settings: Parameters<typeof connect>[3],
): Promise<Channel> {
  const licence = aSubscription(caller.accountId, { id: newId(), expiresAt: null, startsAt: 0 });
  await service.stores.subscriptions.insert(licence);
  const identity = numberIdOf(n);
  const profile = chatappProfile({ phoneNumberId: identity, phoneNumber: `+49 30 ${100_000 + n}` });
  const grant = aGrant({ name: `Shop ${n}`, profile });
  const createdAt = now + n;
  return connect(
    service,
    'chatapp',
    { grant, identity, subscriptionId: licence.id, createdAt },
    settings,
    createdAt,
  );
}
