import { GraphError, missingObject, missingPermission } from './graph-error.ts';
import type { LostSendCode, Phone, Waba } from './model.ts';
import type { Token } from './tokens.ts';

/** Whether the token reaches the account: it was granted, and the business has not removed the partner since. */
export function reaches(token: Token, waba: Waba): boolean {
  return token.assets.has(waba.id) && waba.lost === null;
}

/** Throws GraphError when no send of this number can work now: access is lost, it is not registered, or its phone was changed a moment ago. */
export function checkSendable(phone: Phone, now: number, mayBeUnregistered: boolean): void {
  const { lost } = phone.waba;
  if (lost !== null) throw lostAccess(phone, lost);
  if (!phone.registered && !mayBeUnregistered) throw new GraphError({ code: 133_010 });
  const { offboarded } = phone;
  if (offboarded === null || now >= offboarded.until) return;
  throw new GraphError({ code: offboarded.code, details: 'The number is not available at the moment' });
}

function lostAccess(phone: Phone, code: LostSendCode): GraphError {
  if (code === 100) return missingObject(phone.id, 'post');
  if (code === 200) return missingPermission('whatsapp_business_messaging');
  return new GraphError({
    code: 10,
    status: 403,
    message: '(#10) Application does not have permission for this action',
  });
}
