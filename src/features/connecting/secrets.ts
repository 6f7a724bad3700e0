/** Random secrets of the setup flow. Only their hashes are stored. */
import { hashSecret, newSecret } from '../../kernel/ids.ts';

const secretBytes = 32;
const setupState = /^([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/;
const exchangeCode = /^[0-9a-z]{1,12}\.[A-Za-z0-9_-]{43}$/;

export interface SetupToken {
  sessionId: string;
  token: string;
}

export function newSetupToken(): string {
  return newSecret(secretBytes);
}

/** The `state` parameter that upstream returns to the callback; its token proves that the setup URL was opened. [faults: 81] */
export function makeState({ sessionId, token }: SetupToken): string {
  return `${sessionId}.${token}`;
}

/** null if the form is not ours. Linear time, because the length is fixed. */
export function parseState(state: string): SetupToken | null {
  const [, sessionId, token] = setupState.exec(state) ?? [];
  return sessionId === undefined || token === undefined ? null : { sessionId, token };
}

/** A one-time code. It begins with its expiry, which only tells a reader of a log or a support case how old it is. */
export function newExchangeCode(expiresAt: number): { code: string; hash: string } {
  const code = `${expiresAt.toString(36)}.${newSecret(secretBytes)}`;
  return { code, hash: hashSecret(code) };
}

/** The hash of a code; null if the form is not ours. */
export function hashOfCode(code: string): string | null {
  return exchangeCode.test(code) ? hashSecret(code) : null;
}
