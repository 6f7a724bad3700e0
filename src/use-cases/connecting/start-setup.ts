import type { ChannelType } from '../../domain/channels/channel.ts';
import { matchesPattern, redirectUriProblem } from '../../domain/connecting/index.ts';
import { fault } from '../../kernel/faults.ts';
import { hashOf, newId } from '../../kernel/ids.ts';
import type { Caller } from '../index.ts';
import type { SetupSession } from '../ports.ts';
import type { CachedWorld } from '../world.ts';
import { newSetupToken } from './secrets.ts';
import { canRevive, freeSlot, openSlotBook } from './slots.ts';

export interface SetupRequest {
  channelType: ChannelType;
  redirectUri: string;
}

export interface StartedSetup {
  setupUrl: string;
  sessionId: string;
  /** ms. */
  expiresAt: number;
}

/** Throws 400 `redirect_not_allowed`, 402 `no_free_slot`. [spec: Connecting a channel; architecture §3c] */
export async function startSetup(
  world: CachedWorld,
  caller: Caller,
  request: SetupRequest,
): Promise<StartedSetup> {
  await requireAllowedRedirect(world, caller, request.redirectUri);
  await requireSlot(world, caller, request.channelType);
  const token = newSetupToken();
  const session = newSession(world, caller, request, hashOf(token));
  await world.stores.setupSessions.insert(session);
  const setupUrl = `${world.settings.baseUrl}/setup/${session.id}?token=${token}`;
  return { setupUrl, sessionId: session.id, expiresAt: session.expiresAt };
}

/** [spec: Authentication 5] The patterns of this very key, not of its account. */
async function requireAllowedRedirect(
  world: CachedWorld,
  caller: Caller,
  redirectUri: string,
): Promise<void> {
  const { allowInsecure } = world.settings;
  if (redirectUriProblem(redirectUri, { allowInsecure }) !== null) throw fault('redirect_not_allowed');
  const redirects = await world.stores.redirects.list(caller.apiKeyId, { limit: null, cursor: null });
  const isAllowed = redirects.items.some((redirect) => matchesPattern(redirect.uriPattern, redirectUri));
  if (!isAllowed) throw fault('redirect_not_allowed');
}

async function requireSlot(world: CachedWorld, caller: Caller, channelType: ChannelType): Promise<void> {
  const book = await openSlotBook(world, { accountId: caller.accountId, channelType });
  if (freeSlot(book) === null && !canRevive(book)) throw fault('no_free_slot', { channel_type: channelType });
}

function newSession(
  world: CachedWorld,
  caller: Caller,
  request: SetupRequest,
  tokenHash: string,
): SetupSession {
  return {
    id: newId(),
    accountId: caller.accountId,
    apiKeyId: caller.apiKeyId,
    channelType: request.channelType,
    redirectUri: request.redirectUri,
    tokenHash,
    expiresAt: world.clock.now() + world.settings.setupUrlTtlMs,
    finishedAt: null,
  };
}
