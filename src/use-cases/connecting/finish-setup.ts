import { asError, Fault } from '../../kernel/faults.ts';
import { hashOf } from '../../kernel/ids.ts';
import { PermissionsDeclined } from '../ports/connecting.ts';
import type { SetupSession } from '../ports/connecting.ts';
import type { UseCaseDeps } from '../deps.ts';
import { callbackUrl } from './open-setup.ts';
import { afterwards } from './afterwards.ts';
import { refusalOfDialog } from './refusals.ts';
import { reserveAsset } from './reserve-asset.ts';
import type { SetupOutcome } from './reserve-asset.ts';
import { parseState } from './secrets.ts';
import type { SetupCallback } from './types.ts';

/**
 * Where to send the person after the dialog: the client's redirect_uri with a one-time `code`, or with `error` and
 * `error_description`, or our page that asks which of several to connect. null: `state` is not ours, expired or used before; then there is no address that could be trusted.
 * [spec: Connecting a channel; operator-interface §3; faults: 81]
 */
export async function finishSetup(deps: UseCaseDeps, callback: SetupCallback): Promise<string | null> {
  const state = parseState(callback.state);
  if (state === null) return null;
  const { setupSessions } = deps.stores;
  const session = await setupSessions.finish(state.sessionId, hashOf(state.token), deps.clock.now());
  // The dialog never gets the token of a choice.
  if (session === null || session.choice !== null) return null;
  return afterwards(deps, session, await connect(deps, session, callback));
}

/** The session is used up, so whatever fails from here on must bring the person back to the client. */
async function connect(
  deps: UseCaseDeps,
  session: SetupSession,
  { code, error, numberId }: SetupCallback,
): Promise<SetupOutcome> {
  if (error !== null || code === null) return { refused: refusalOfDialog(error) };
  try {
    const { channelType } = session;
    const assets = await deps.upstream.assetsOf({ channelType, code, redirectUri: callbackUrl(deps) });
    const named = assets.filter(({ identity }) => identity === numberId);
    return await reserveAsset(deps, session, named.length > 0 ? named : assets);
  } catch (thrown) {
    if (thrown instanceof PermissionsDeclined) return declined(thrown);
    deps.log.warn({ session: session.id, error: asError(thrown) }, 'setup.failed');
    const isUpstream = thrown instanceof Fault && thrown.code === 'upstream_failed';
    return { refused: isUpstream ? 'upstream_failed' : 'temporarily_unavailable' };
  }
}

/** [spec: Connecting a channel] Which of them, so that the person knows what to allow. */
function declined({ permissions }: PermissionsDeclined): SetupOutcome {
  const says = `These permissions were not allowed in the dialog of the platform: ${permissions.join(', ')}. Start the setup again and allow them.`;
  return { refused: 'access_denied', says };
}
