/** To upstream's dialog and back from it. */
import { kindOf } from '../../rules/channels/kinds.ts';
import { explainNothing } from '../../rules/channels/unusable.ts';
import type { Unusable } from '../../rules/channels/unusable.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { PickedAssets } from '../../upstream/connecting-calls.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { openSession, issueCodeOnce, takeSession } from './setup-session.ts';
import { parseState, makeState } from './secrets.ts';
import { setupRedirect, refusalOfDialog } from './setup-outcome.ts';
import type { SetupOutcome } from './setup-outcome.ts';
import { probeSiblings } from './probe-siblings.ts';
import { reserveAsset } from './reserve-asset.ts';
import type { SetupCallback } from './types.ts';
import type { SetupSession } from './entity.ts';

/**
 * The dialog's URL for a person who opened the setup URL, any number of times. null if the setup URL is unknown or expired, if a
 * code was issued, or if redirect_uri is no longer whitelisted. [operator-interface §3]
 */
export async function openSetup(world: World, sessionId: string, token: string): Promise<string | null> {
  const state = makeState({ sessionId, token });
  if (parseState(state) === null) return null;
  const session = await openSession(world, { sessionId, token });
  if (session === null || session.choice !== null) return null;
  const { channelType } = session;
  return world.upstream.dialogUrl({ channelType, redirectUri: callbackUrl(world), state });
}

/** Origin of the dialog, for the Content-Security-Policy of a page whose form leads there. */
export function dialogOrigin({ upstream, settings }: World, channelType: ChannelType): string {
  return new URL(upstream.dialogUrl({ channelType, redirectUri: settings.baseUrl, state: '' })).origin;
}

/** Upstream requires exactly the same URL again when the code is exchanged. [upstream §2.1] */
function callbackUrl(world: World): string {
  return `${world.settings.baseUrl}/setup/callback`;
}

/**
 * URL to redirect the person to after the dialog: the client's redirect_uri with a one-time `code`, or with `error` and
 * `error_description`, or our page with the choice of assets. null if `state` is unknown or expired, if a code was issued
 * already, or if redirect_uri is no longer whitelisted: then no address can be trusted. [spec: Connecting a channel;
 * operator-interface §3; faults: 81]
 */
export async function finishSetup(given: World, callback: SetupCallback): Promise<string | null> {
  const world = underRequest(given, callback.requestId);
  const state = parseState(callback.state);
  if (state === null) return null;
  const session = await openSession(world, state);
  // A choice's token is never given to the dialog.
  if (session === null || session.choice !== null) return null;
  const { code, error, errorCode = null, numberId = null } = callback;
  if (error !== null || code === null)
    return setupRedirect(world, session, { refused: refusalOfDialog({ error, errorCode }) });
  const taken = await takeSession(world, session);
  if (taken === null) return null;
  const outcome = await issueCodeOnce(world, taken, () => connect(world, session, code, numberId));
  return setupRedirect(world, session, outcome);
}

async function connect(
  world: World,
  session: SetupSession,
  code: string,
  numberId: string | null,
): Promise<SetupOutcome> {
  if (!world.setupTries.take(session)) return { refused: 'temporarily_unavailable' };
  const { channelType } = session;
  const { assets, unusable } = await readGranted(world, session, code);
  if (assets.length === 0) return explained(channelType, unusable);
  const named = assets.filter(({ identity }) => identity === numberId);
  const outcome = await reserveAsset(world, session, named.length > 0 ? named : assets);
  return 'ask' in outcome ? { ...outcome, unusable } : outcome;
}

/** The dialog has replaced the person's grant, also if nothing can be read of the new one. */
async function readGranted(world: World, session: SetupSession, code: string): Promise<PickedAssets> {
  const { channelType } = session;
  try {
    return await world.upstream.readAssets({ channelType, code, redirectUri: callbackUrl(world) });
  } finally {
    await probeSiblings(world, session);
  }
}

/** [spec: Connecting a channel] The client shows the sentence to the person. */
function explained(channelType: ChannelType, unusable: readonly Unusable[]): SetupOutcome {
  const says = explainNothing(unusable) ?? kindOf(channelType).nothingGranted;
  return { refused: 'nothing_picked', says };
}
