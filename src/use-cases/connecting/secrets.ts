/** The unguessable texts of the setup flow. Only their hashes are stored. */
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

/** What upstream hands back to the callback; only whoever opened the setup URL knows its token. [faults: 81] */
export function makeState({ sessionId, token }: SetupToken): string {
  return `${sessionId}.${token}`;
}

/** null: not a state of ours. Linear, and refuses anything of another length. */
export function parseState(state: string): SetupToken | null {
  const [, sessionId, token] = setupState.exec(state) ?? [];
  return sessionId === undefined || token === undefined ? null : { sessionId, token };
}

/**
 * A one-time code. It carries its own expiry, so that a code whose exchange failed at upstream can be given back for exactly
 * the rest of its five minutes. Nobody can move it: the hash that is stored covers the whole text.
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

/** null: not a code of ours. The expiry means something only for a code that the store knows. */
export function parseExchangeCode(code: string): KnownCode | null {
  const [, expiry] = exchangeCode.exec(code) ?? [];
  return expiry === undefined ? null : { hash: hashSecret(code), expiresAt: Number.parseInt(expiry, 36) };
}
