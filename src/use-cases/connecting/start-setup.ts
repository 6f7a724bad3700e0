import type { ChannelType } from '../../domain/vocabulary.ts';
import { matchesPattern } from '../../domain/connecting/redirect-pattern.ts';
import { ownParamIn, redirectUriProblem } from '../../domain/connecting/redirect-uri.ts';
import { whyNoSlot } from '../../domain/licences/no-slot.ts';
import { fault } from '../../kernel/faults.ts';
import { hashOf, newId } from '../../kernel/ids.ts';
import type { Caller } from '../caller.ts';
import type { SetupSession } from '../ports/connecting.ts';
import type { UseCaseDeps } from '../deps.ts';
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

/** Throws 400 `redirect_not_allowed`, `redirect_param`, 402 `no_free_slot`. [spec: Connecting a channel; architecture §3c] */
export async function startSetup(
  deps: UseCaseDeps,
  caller: Caller,
  request: SetupRequest,
): Promise<StartedSetup> {
  await requireAllowedRedirect(deps, caller, request.redirectUri);
  await requireSlot(deps, caller, request.channelType);
  const token = newSetupToken();
  const session = newSession(deps, caller, request, hashOf(token));
  await deps.stores.setupSessions.insert(session);
  const setupUrl = `${deps.settings.baseUrl}/setup/${session.id}?token=${token}`;
  return { setupUrl, sessionId: session.id, expiresAt: session.expiresAt };
}

/** [spec: Authentication 5] The patterns of this very key, not of its account. */
async function requireAllowedRedirect(deps: UseCaseDeps, caller: Caller, redirectUri: string): Promise<void> {
  const { allowInsecure } = deps.settings;
  if (redirectUriProblem(redirectUri, { allowInsecure }) !== null) throw fault('redirect_not_allowed');
  const param = ownParamIn(redirectUri);
  if (param !== null) throw fault('redirect_param', { param });
  const redirects = await deps.stores.redirects.list(caller.apiKeyId, { limit: null, cursor: null });
  const isAllowed = redirects.items.some((redirect) => matchesPattern(redirect.uriPattern, redirectUri));
  if (!isAllowed) throw fault('redirect_not_allowed');
}

async function requireSlot(deps: UseCaseDeps, caller: Caller, channelType: ChannelType): Promise<void> {
  const book = await openSlotBook(deps, { accountId: caller.accountId, channelType });
  if (freeSlot(book) !== null || canRevive(book)) return;
  const why = whyNoSlot(book.subscriptions, book.now, book.graceMs);
  throw fault('no_free_slot', { channel_type: channelType, why });
}

function newSession(
  deps: UseCaseDeps,
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
    expiresAt: deps.clock.now() + deps.settings.setupUrlTtlMs,
    finishedAt: null,
  };
}
