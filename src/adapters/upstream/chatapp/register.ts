import { createHmac } from 'node:crypto';
import type { Channel } from '../../../domain/channels/channel.ts';
import { profileAs } from '../../../domain/channels/profile.ts';
import { requireSuccess } from '../graph.ts';
import type { Graph } from '../graph.ts';
import { asText } from '../wire/read.ts';

const pinMismatch = 133005;

/**
 * Registers a number, unless it is dual-use. Registering again succeeds with the right PIN and fails with another. A connected number that
 * has a foreign PIN needs no registration. Throws Fault `upstream_failed`. [upstream §2.4 notes]
 */
export async function register(
  graph: Graph,
  { profile }: Channel,
  token: string,
  appSecret: string,
): Promise<void> {
  const number = profileAs(profile, 'chatapp');
  if (number === null || number.isDualUse) return;
  const { phoneNumberId } = number;
  const path = `/${encodeURIComponent(phoneNumberId)}`;
  const pin = derivePin(phoneNumberId, appSecret);
  const attempt = await graph.attempt({
    method: 'POST',
    path: `${path}/register`,
    body: { messaging_product: 'whatsapp', pin },
    token,
    secrets: [pin],
  });
  if (attempt.ok) return requireSuccess(attempt.answer, 'the registration of the number');
  if (attempt.error.code !== pinMismatch) throw attempt.fault;
  const known = await graph.call({ path, query: { fields: 'status' }, token });
  if (asText(known['status']) !== 'CONNECTED') throw attempt.fault;
}

/**
 * Six digits that nobody can guess without the app secret, and the same each time: a random PIN that nobody stored would prevent the owner
 * from connecting the number again.
 */
export function derivePin(phoneNumberId: string, appSecret: string): string {
  const digest = createHmac('sha256', appSecret).update(`two-step PIN of ${phoneNumberId}`).digest();
  return String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
}
