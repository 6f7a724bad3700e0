import { hashOf } from '../../kernel/ids.ts';
import type { CachedWorld } from '../world.ts';
import { parseState, stateOf } from './secrets.ts';

/**
 * The dialog's URL for a person who opened the setup URL, as often as they like until it expires or the flow is finished;
 * null when it is unknown, expired or used up. [operator-interface §3]
 */
export async function openSetup(
  world: CachedWorld,
  sessionId: string,
  token: string,
): Promise<string | null> {
  const state = stateOf({ sessionId, token });
  if (parseState(state) === null) return null;
  const session = await world.stores.setupSessions.open(sessionId, hashOf(token), world.clock.now());
  if (session === null) return null;
  const { channelType } = session;
  return world.upstream.dialogUrl({ channelType, redirectUri: callbackUrl(world), state });
}

/** Upstream wants the very same text again when its code is swapped. [upstream §2.1] */
export function callbackUrl(world: CachedWorld): string {
  return `${world.settings.baseUrl}/setup/callback`;
}
