import { isDigits } from '../channels/recipient.ts';

/** How upstream names the person of a send, where that is not how the client named it. */
export interface RecipientNames {
  /** Business-scoped id. */
  userId?: string;
  /** Number of the person's account, which may differ from the number that is dialled (Argentina, Brazil, Mexico). */
  waId?: string;
}

/** Shared by all sends whose recipient upstream names as the client did. */
const none: RecipientNames = {};

export function hasNames({ userId, waId }: RecipientNames): boolean {
  return userId !== undefined || waId !== undefined;
}

export function pickNames(names: RecipientNames): RecipientNames {
  if (!hasNames(names)) return none;
  const { userId, waId } = names;
  return { ...(userId === undefined ? {} : { userId }), ...(waId === undefined ? {} : { waId }) };
}

/** `named`: the number or id in upstream's report. */
export function recipientNames(asked: string, named: string | null, userId?: string): RecipientNames {
  if (userId === undefined && (named === null || named === asked)) return none;
  const names: RecipientNames = {};
  if (userId !== undefined) names.userId = userId;
  if (named !== null && named !== asked && isDigits(named)) names.waId = named;
  return names;
}

/** As members of events and answers. */
export function writeRecipientNames({ userId, waId }: RecipientNames): Record<string, string> {
  return {
    ...(userId === undefined ? {} : { recipient_user_id: userId }),
    ...(waId === undefined ? {} : { wa_id: waId }),
  };
}
