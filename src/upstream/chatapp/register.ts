import { createHmac } from 'node:crypto';
import type { Channel } from '../../rules/channels/channel.ts';
import type { RegistrationHurdle } from '../../rules/channels/registration.ts';
import { profileAs } from '../../rules/channels/profile.ts';
import type { Registration } from '../connecting-calls.ts';
import { Fault } from '../../kernel/faults.ts';
import type { GraphError } from '../graph-error.ts';
import type { Attempt } from '../graph.ts';
import { asText } from '../read.ts';
import type { Json } from '../read.ts';
import type { RegisterCalls } from '../kind.ts';

const statusFields = 'status,code_verification_status,name_status,is_on_biz_app';

/**
 * The status is read first: a connected number needs no call, and upstream allows few. After a call without an answer the next look tells
 * what became of it. A number of the phone's app is not registered: the app did that. [upstream §2.4]
 */
export async function register(
  calls: RegisterCalls,
  { profile }: Channel,
  mayCall: () => Promise<boolean>,
): Promise<Registration> {
  const number = profileAs(profile, 'chatapp');
  if (number === null || number.isDualUse) return { isReady: true };
  const { phoneNumberId } = number;
  const path = `/${encodeURIComponent(phoneNumberId)}`;
  const read = await answered(() =>
    calls.graph.attempt({ path, query: { fields: statusFields }, token: calls.token }),
  );
  if (!read.ok) return hurdle('unanswered', read.words);
  if (isReady(read.answer)) return { isReady: true };
  if (read.answer['code_verification_status'] === 'NOT_VERIFIED') return hurdle('not_verified');
  if (!(await mayCall())) return hurdle('limited');
  return callRegister(calls, phoneNumberId);
}

function isReady(number: Json): boolean {
  return asText(number['status']) === 'CONNECTED' || number['is_on_biz_app'] === true;
}

async function callRegister({ graph, token, pinSecret }: RegisterCalls, id: string): Promise<Registration> {
  const pin = derivePin(id, pinSecret);
  const attempt = await answered(() =>
    graph.attempt({
      method: 'POST',
      path: `/${encodeURIComponent(id)}/register`,
      body: { messaging_product: 'whatsapp', pin },
      token,
      secrets: [pin],
    }),
  );
  if (attempt.ok) {
    const { success } = attempt.answer;
    return success === true || success === 'true' ? { isReady: true } : hurdle('unanswered');
  }
  const known = attempt.error === null ? null : hurdleOf(attempt.error);
  return known === null ? hurdle('unanswered', attempt.words) : hurdle(known);
}

function hurdle(name: RegistrationHurdle, words: string | null = null): Registration {
  return { isReady: false, hurdle: name, words };
}

type Answered = { ok: true; answer: Json } | { ok: false; error: GraphError | null; words: string | null };

/** Without a usable answer `error` is null. */
async function answered(attempt: () => Promise<Attempt>): Promise<Answered> {
  try {
    const tried = await attempt();
    return tried.ok ? tried : { ok: false, error: tried.error, words: tried.fault.message };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { ok: false, error: null, words: thrown.message };
  }
}

/** [upstream §2.4] */
const hurdleByCode: Readonly<Record<number, RegistrationHurdle>> = {
  133_005: 'wrong_pin',
  133_006: 'not_verified',
  133_008: 'too_many_pins',
  133_009: 'pins_too_fast',
  133_015: 'deleted_recently',
  133_016: 'limited',
};
/** "Cannot create certificate": the display name is still being processed. */
const nameNotReady = 2_388_001;

function hurdleOf({ code, subcode }: GraphError): RegistrationHurdle | null {
  if (subcode === nameNotReady) return 'name_pending';
  return code === null ? null : (hurdleByCode[code] ?? null);
}

/**
 * Six digits that nobody can guess without the secret, and the same each time: a random PIN that nobody stored would prevent the owner
 * from connecting the number again. So the secret outlives a rotation of the app's. [decisions: two-step PINs]
 */
export function derivePin(phoneNumberId: string, pinSecret: string): string {
  const digest = createHmac('sha256', pinSecret).update(`two-step PIN of ${phoneNumberId}`).digest();
  return String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
}
