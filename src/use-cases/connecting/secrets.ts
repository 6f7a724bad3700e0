/** Random secrets of the setup flow. Only their hashes are stored. */
import { hashSecret, newSecret } from '../../kernel/ids.ts';

const secretBytes = 32;
const setupState = /^([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/;
const exchangeCode = /^([0-9a-z]{1,12})\.[A-Za-z0-9_-]{43}$/;

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

/**
 * A one-time code. It contains its own expiry, so that a code whose upstream subscription failed can be restored for exactly
 * the rest of its five minutes. The expiry can't be forged: the stored hash covers the whole text.
 */
export function newExchangeCode(expiresAt: number): { code: string; hash: string } {
  const code = `${expiresAt.toString(36)}.${newSecret(secretBytes)}`;
  return { code, hash: hashSecret(code) };
}

export interface KnownCode {
  hash: string;
  /** ms. */
  expiresAt: number;
}

/** null if the form is not ours. The expiry can be trusted only if the store knows the code's hash. */
export function parseExchangeCode(code: string): KnownCode | null {
  const [, expiry] = exchangeCode.exec(code) ?? [];
  return expiry === undefined ? null : { hash: hashSecret(code), expiresAt: Number.parseInt(expiry, 36) };
}
