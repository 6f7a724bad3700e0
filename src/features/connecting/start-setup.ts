import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { fault, valueFault } from '../../kernel/faults.ts';
import { hashSecret, newId } from '../../kernel/ids.ts';
import type { Caller } from '../../rules/caller.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { isWhitelisted, portalRedirectUri } from './setup-session.ts';
import { newSetupToken } from './secrets.ts';
import { requireRoomForSetup } from './open-setups.ts';
import { refusedTokens } from './reserve-asset.ts';
import { canRevive, freeSlot, readSlots } from './slots.ts';
import type { SlotSnapshot } from './slots.ts';
import type { SetupRequest, StartedSetup } from './types.ts';
import type { SetupSession } from './entity.ts';
import { findChannel } from '../channels/index.ts';
import { whyNoSlot } from '../licences/index.ts';
import { ownParamIn, redirectUriProblem } from '../redirects/index.ts';

/**
 * Throws 400 `kind_not_configured`, `redirect_not_allowed`, `redirect_param`, 402 `no_free_slot`, 429 `too_many_setups`; with a `channelId` 404 `not_found`, and 422 if that channel
 * has another type or lost its identity. [spec: Connecting a channel; architecture §3c]
 */
export async function startSetup(given: World, caller: Caller, request: SetupRequest): Promise<StartedSetup> {
  const world = underRequest(given, caller.requestId);
  requireConfigured(world, request.channelType);
  await requireAllowedRedirect(world, caller, request.redirectUri);
  return beginSetup(world, caller, request);
}

/**
 * A setup that ends at a portal page, which exchanges the code itself: no whitelist applies. Throws 400 `kind_not_configured`, 402 `no_free_slot`, 429 `too_many_setups`; with a
 * `channelId` as `startSetup`.
 */
export async function startOwnSetup(
  given: World,
  caller: Caller,
  channelType: ChannelType,
  channelId: string | null,
): Promise<StartedSetup> {
  const world = underRequest(given, caller.requestId);
  requireConfigured(world, channelType);
  return beginSetup(world, caller, { channelType, redirectUri: portalRedirectUri(world), channelId });
}

async function beginSetup(world: World, caller: Caller, request: SetupRequest): Promise<StartedSetup> {
  if (request.channelId != null)
    requireReconnectable(await findChannel(world, caller, request.channelId), request);
  await requireSlot(world, caller, request);
  await requireRoomForSetup(world, caller.accountId);
  const token = newSetupToken();
  const session = newSession(world, caller, request, hashSecret(token));
  await world.stores.setupSessions.insert(session);
  const setupUrl = `${world.settings.baseUrl}/setup/${session.id}?token=${token}`;
  return { setupUrl, sessionId: session.id, expiresAt: session.expiresAt };
}

/** [operator-interface §2: UPSTREAM_SIGNUP_CONFIG_ID] */
function requireConfigured({ upstream }: World, channelType: ChannelType): void {
  if (!upstream.isConfigured(channelType)) throw fault('kind_not_configured', { channel_type: channelType });
}

async function requireAllowedRedirect(world: World, caller: Caller, redirectUri: string): Promise<void> {
  const { allowInsecure } = world.settings;
  const why = redirectUriProblem(redirectUri, { allowInsecure });
  if (why !== null) throw fault('redirect_not_allowed', { why });
  const param = ownParamIn(redirectUri);
  if (param !== null) throw fault('redirect_param', { param });
  if (!(await isWhitelisted(world, caller.apiKeyId, redirectUri))) throw fault('redirect_not_allowed');
}

function requireReconnectable({ channelType, identity }: Channel, request: SetupRequest): void {
  const loc = ['body', 'channel_id'];
  if (channelType !== request.channelType) throw valueFault(loc, `the channel is a ${channelType} channel`);
  if (identity === null)
    throw valueFault(loc, 'the ownership of the channel was released; connect it as a new one');
}

/** A reconnect needs only the channel's own slot. */
async function requireSlot(
  world: World,
  { accountId }: Caller,
  { channelType, channelId = null }: SetupRequest,
): Promise<void> {
  const book = await readSlots(world, { accountId, channelType });
  if (freeSlot(book) !== null || canRevive(book, channelId)) return;
  if (channelId === null && (await hasRefusedToken(world, accountId, book))) return;
  const why = whyNoSlot(book.subscriptions, book.now, book.graceMs);
  throw fault('no_free_slot', { channel_type: channelType, why });
}

/** [operator-interface §4: reconnecting] An active channel whose token upstream refuses can be reconnected. */
async function hasRefusedToken(world: World, accountId: string, book: SlotSnapshot): Promise<boolean> {
  const ofType = book.channels.filter(({ channelType }) => channelType === book.channelType);
  return (await refusedTokens(world, { accountId }, ofType)).size > 0;
}

function newSession(world: World, caller: Caller, request: SetupRequest, tokenHash: string): SetupSession {
  return {
    id: newId(),
    accountId: caller.accountId,
    apiKeyId: caller.apiKeyId,
    channelType: request.channelType,
    redirectUri: request.redirectUri,
    tokenHash,
    expiresAt: world.clock.now() + world.settings.setupUrlTtlMs,
    finishedAt: null,
    channelId: request.channelId ?? null,
    choice: null,
    origin: null,
    ending: null,
  };
}
