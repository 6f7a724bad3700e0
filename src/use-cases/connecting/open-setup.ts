import type { ChannelType } from '../../domain/vocabulary.ts';
import type { UseCaseDeps } from '../deps.ts';
import { openSession } from './open-session.ts';
import { parseState, makeState } from './secrets.ts';

/**
 * The dialog's URL for a person who opened the setup URL, as often as they like until it expires or a code was
 * handed out; null when it is unknown, one of these, or leads to an address that is allowed no more. [operator-interface §3]
 */
export async function openSetup(deps: UseCaseDeps, sessionId: string, token: string): Promise<string | null> {
  const state = makeState({ sessionId, token });
  if (parseState(state) === null) return null;
  const session = await openSession(deps, { sessionId, token });
  if (session === null || session.choice !== null) return null;
  const { channelType } = session;
  return deps.upstream.dialogUrl({ channelType, redirectUri: callbackUrl(deps), state });
}

/** Where the dialog is, for the policy of a page whose form leads there. */
export function dialogOrigin({ upstream, settings }: UseCaseDeps, channelType: ChannelType): string {
  return new URL(upstream.dialogUrl({ channelType, redirectUri: settings.baseUrl, state: '' })).origin;
}

/** Upstream wants the very same text again when its code is swapped. [upstream §2.1] */
export function callbackUrl(deps: UseCaseDeps): string {
  return `${deps.settings.baseUrl}/setup/callback`;
}
