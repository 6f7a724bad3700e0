/** The session of a setup URL: opened by its token, taken by one caller, reopened unless a code is issued. */
import { connectedPath } from '../../rules/portal-paths.ts';
import { hashSecret } from '../../kernel/ids.ts';
import type { World } from '../world.ts';
import { everything } from '../../kernel/paging.ts';
import type { SetupToken } from './secrets.ts';
import { asError, Fault } from '../../kernel/faults.ts';
import { PermissionsDeclined } from '../../upstream/connecting-calls.ts';
import type { SetupOutcome } from './setup-outcome.ts';
import type { SetupSession } from './entity.ts';
import { matchesPattern } from '../redirects/index.ts';

/** The open session with this token; null if unknown, expired or finished, or if redirect_uri is no longer whitelisted. */
export async function openSession(
  world: World,
  { sessionId, token }: SetupToken,
): Promise<SetupSession | null> {
  const session = await world.stores.setupSessions.open(sessionId, hashSecret(token), world.clock.now());
  return session !== null && (await mayReturn(world, session)) ? session : null;
}

/** Redirect URI of the portal's own setup flows. The portal exchanges the code itself, so no whitelist contains it. */
export const portalRedirectUri = ({ settings }: Pick<World, 'settings'>): string =>
  `${settings.baseUrl}${connectedPath}`;

/**
 * Whether a person may be redirected to the session's redirect_uri. A session lasts half an hour; meanwhile the client may withdraw
 * its trust in the address by removing the pattern or revoking the key. [spec: setup-url; Authentication 5; faults: 191]
 */
export async function mayReturn(
  world: World,
  { accountId, apiKeyId, redirectUri }: Pick<SetupSession, 'accountId' | 'apiKeyId' | 'redirectUri'>,
): Promise<boolean> {
  if (redirectUri === portalRedirectUri(world)) return true;
  const key = await world.stores.keys.inAccount(apiKeyId, accountId);
  return key !== null && (await isWhitelisted(world, apiKeyId, redirectUri));
}

/** Uses the patterns of this key only, not of its account. [spec: Authentication 5] */
export async function isWhitelisted(
  { stores }: World,
  apiKeyId: string,
  redirectUri: string,
): Promise<boolean> {
  const { items } = await stores.redirects.list(apiKeyId, everything);
  return items.some(({ uriPattern }) => matchesPattern(uriPattern, redirectUri));
}

/** Finishes the session of a setup URL for one caller; null for concurrent callers, and once a code was issued. */
export async function takeSession(
  world: World,
  { id, tokenHash }: Pick<SetupSession, 'id' | 'tokenHash'>,
): Promise<SetupSession | null> {
  return world.stores.setupSessions.finish(id, tokenHash, world.clock.now());
}

/**
 * Runs `connect` while the session of the setup URL is taken. Any outcome but a code reopens the session: a person who
 * declined or abandoned the dialog may start over until it expires. [operator-interface §4] Never throws: the person must be
 * redirected to the client.
 */
export async function issueCodeOnce(
  world: World,
  taken: SetupSession,
  connect: () => Promise<SetupOutcome>,
): Promise<SetupOutcome> {
  const outcome = await connectIfAllowed(world, taken, connect).catch((thrown: unknown) =>
    failed(world, taken, thrown),
  );
  if (!('code' in outcome)) await reopen(world, taken);
  return outcome;
}

/** Checks redirect_uri once more, because the upstream calls may have taken long. */
async function connectIfAllowed(
  world: World,
  taken: SetupSession,
  connect: () => Promise<SetupOutcome>,
): Promise<SetupOutcome> {
  const outcome = await connect();
  return (await mayReturn(world, taken)) ? outcome : { closed: true };
}

async function reopen(world: World, taken: SetupSession): Promise<void> {
  try {
    await world.stores.setupSessions.reopen(taken);
  } catch (thrown) {
    world.log.warn({ session: taken.id, error: asError(thrown) }, 'setup.not-reopened');
  }
}

function failed(world: World, { id }: SetupSession, thrown: unknown): SetupOutcome {
  if (thrown instanceof PermissionsDeclined) return declined(thrown);
  world.log.warn({ session: id, error: asError(thrown) }, 'setup.failed');
  const isUpstream = thrown instanceof Fault && thrown.code === 'upstream_failed';
  return { refused: isUpstream ? 'upstream_failed' : 'temporarily_unavailable' };
}

/** [spec: Connecting a channel] Names the permissions, so that the person knows what to allow. */
function declined({ permissions }: PermissionsDeclined): SetupOutcome {
  const says = `These permissions were not allowed in the dialog of the platform: ${permissions.join(', ')}. Start the setup again and allow them.`;
  return { refused: 'access_denied', says };
}
