import { matchesPattern } from '../../domain/connecting/redirect-pattern.ts';
import { hashSecret } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { SetupSession } from '../ports/connecting.ts';
import { everything } from '../ports/paging.ts';
import type { SetupToken } from './secrets.ts';

/** The open session with this token; null if unknown, expired or finished, or if redirect_uri is no longer whitelisted. */
export async function openSession(
  deps: UseCaseDeps,
  { sessionId, token }: SetupToken,
): Promise<SetupSession | null> {
  const session = await deps.stores.setupSessions.open(sessionId, hashSecret(token), deps.clock.now());
  return session !== null && (await mayReturn(deps, session)) ? session : null;
}

/** Redirect URI of the portal's own setup flows. The portal exchanges the code itself, so no whitelist contains it. */
export const ownReturn = ({ settings }: Pick<UseCaseDeps, 'settings'>): string =>
  `${settings.baseUrl}/portal/connected`;

/**
 * Whether a person may be redirected to the session's redirect_uri. A session lasts half an hour; meanwhile the client may withdraw
 * its trust in the address by removing the pattern or revoking the key. [spec: setup-url; Authentication 5; faults: 191]
 */
export async function mayReturn(
  deps: UseCaseDeps,
  { accountId, apiKeyId, redirectUri }: Pick<SetupSession, 'accountId' | 'apiKeyId' | 'redirectUri'>,
): Promise<boolean> {
  if (redirectUri === ownReturn(deps)) return true;
  const key = await deps.stores.keys.inAccount(apiKeyId, accountId);
  return key !== null && (await isWhitelisted(deps, apiKeyId, redirectUri));
}

/** Uses the patterns of this key only, not of its account. [spec: Authentication 5] */
export async function isWhitelisted(
  { stores }: UseCaseDeps,
  apiKeyId: string,
  redirectUri: string,
): Promise<boolean> {
  const { items } = await stores.redirects.list(apiKeyId, everything);
  return items.some(({ uriPattern }) => matchesPattern(uriPattern, redirectUri));
}
