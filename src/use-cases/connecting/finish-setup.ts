import type { SetupSession } from '../ports/connecting.ts';
import type { UseCaseDeps } from '../deps.ts';
import { callbackUrl } from './open-setup.ts';
import { afterwards } from './afterwards.ts';
import { handOutOnce, takeSession } from './hand-out-once.ts';
import { openSession } from './open-session.ts';
import { refusalOfDialog } from './refusals.ts';
import { reserveAsset } from './reserve-asset.ts';
import type { SetupOutcome } from './reserve-asset.ts';
import { parseState } from './secrets.ts';
import type { SetupCallback } from './types.ts';

/**
 * Where to send the person after the dialog: the client's redirect_uri with a one-time `code`, or with `error` and
 * `error_description`, or our page that asks which of several to connect. null: `state` is not ours, expired, a code was handed
 * out before, or its address is allowed no more; then there is no address that could be trusted. [spec: Connecting a channel;
 * operator-interface §3; faults: 81]
 */
export async function finishSetup(deps: UseCaseDeps, callback: SetupCallback): Promise<string | null> {
  const state = parseState(callback.state);
  if (state === null) return null;
  const session = await openSession(deps, state);
  // The dialog never gets the token of a choice.
  if (session === null || session.choice !== null) return null;
  const { code, error, numberId = null } = callback;
  if (error !== null || code === null) return afterwards(deps, session, { refused: refusalOfDialog(error) });
  const taken = await takeSession(deps, session);
  if (taken === null) return null;
  const outcome = await handOutOnce(deps, taken, () => connect(deps, session, code, numberId));
  return afterwards(deps, session, outcome);
}

async function connect(
  deps: UseCaseDeps,
  session: SetupSession,
  code: string,
  numberId: string | null,
): Promise<SetupOutcome> {
  if (!deps.setupTries.take(session)) return { refused: 'temporarily_unavailable' };
  const { channelType } = session;
  const assets = await deps.upstream.readAssets({ channelType, code, redirectUri: callbackUrl(deps) });
  const named = assets.filter(({ identity }) => identity === numberId);
  return reserveAsset(deps, session, named.length > 0 ? named : assets);
}
