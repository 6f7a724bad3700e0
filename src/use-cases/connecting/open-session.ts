import { matchesPattern } from '../../domain/connecting/redirect-pattern.ts';
import { hashSecret } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { SetupSession } from '../ports/connecting.ts';
import { everything } from '../ports/paging.ts';
import type { SetupToken } from './secrets.ts';

/** The flow with this token, while it may go on: null when it is unknown, expired, ended, or its address is none to go back to. */
export async function openSession(
  deps: UseCaseDeps,
  { sessionId, token }: SetupToken,
): Promise<SetupSession | null> {
  const session = await deps.stores.setupSessions.open(sessionId, hashSecret(token), deps.clock.now());
  return session !== null && (await mayReturn(deps, session)) ? session : null;
}

/** Of ours, which exchanges the code itself: no whitelist has it. */
export const ownReturn = ({ settings }: Pick<UseCaseDeps, 'settings'>): string =>
  `${settings.baseUrl}/portal/connected`;

/**
 * Whether somebody may be sent to the address of a flow: it was taken off the whitelist, or its key was revoked, because whoever is there
 * is trusted no more, and a flow lasts half an hour. [spec: setup-url; Authentication 5; faults: 191]
 */
export async function mayReturn(
  deps: UseCaseDeps,
  { accountId, apiKeyId, redirectUri }: Pick<SetupSession, 'accountId' | 'apiKeyId' | 'redirectUri'>,
): Promise<boolean> {
  if (redirectUri === ownReturn(deps)) return true;
  const key = await deps.stores.keys.inAccount(apiKeyId, accountId);
  return key !== null && (await isWhitelisted(deps, apiKeyId, redirectUri));
}

/** By the patterns of this very key, not of its account. [spec: Authentication 5] */
export async function isWhitelisted(
  { stores }: UseCaseDeps,
  apiKeyId: string,
  redirectUri: string,
): Promise<boolean> {
  const { items } = await stores.redirects.list(apiKeyId, everything);
  return items.some(({ uriPattern }) => matchesPattern(uriPattern, redirectUri));
}
