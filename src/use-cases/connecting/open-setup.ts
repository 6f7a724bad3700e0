import type { ChannelType } from '../../domain/vocabulary.ts';
import type { UseCaseDeps } from '../deps.ts';
import { openSession } from './open-session.ts';
import { parseState, makeState } from './secrets.ts';

/**
 * The dialog's URL for a person who opened the setup URL, any number of times. null if the setup URL is unknown or expired, if a
 * code was issued, or if redirect_uri is no longer whitelisted. [operator-interface §3]
 */
export async function openSetup(deps: UseCaseDeps, sessionId: string, token: string): Promise<string | null> {
  const state = makeState({ sessionId, token });
  if (parseState(state) === null) return null;
  const session = await openSession(deps, { sessionId, token });
  if (session === null || session.choice !== null) return null;
  const { channelType } = session;
  return deps.upstream.dialogUrl({ channelType, redirectUri: callbackUrl(deps), state });
}

/** Origin of the dialog, for the Content-Security-Policy of a page whose form leads there. */
export function dialogOrigin({ upstream, settings }: UseCaseDeps, channelType: ChannelType): string {
  return new URL(upstream.dialogUrl({ channelType, redirectUri: settings.baseUrl, state: '' })).origin;
}

/** Upstream requires exactly the same URL again when the code is exchanged. [upstream §2.1] */
export function callbackUrl(deps: UseCaseDeps): string {
  return `${deps.settings.baseUrl}/setup/callback`;
}
