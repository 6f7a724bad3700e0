import { withParams } from '../../domain/connecting/redirect-uri.ts';
import { asError, Fault } from '../../kernel/faults.ts';
import { hashOf } from '../../kernel/ids.ts';
import type { SetupSession } from '../ports/connecting.ts';
import type { UseCaseDeps } from '../deps.ts';
import { callbackUrl } from './open-setup.ts';
import { refusalOfDialog, refusals } from './refusals.ts';
import type { RefusalWord } from './refusals.ts';
import { reserveAsset } from './reserve-asset.ts';
import type { SetupOutcome } from './reserve-asset.ts';
import { parseState } from './secrets.ts';

export interface SetupCallback {
  state: string;
  code: string | null;
  error: string | null;
}

/**
 * Where to send the person after the dialog: the client's redirect_uri with a one-time `code`, or with `error` and
 * `error_description`. null: `state` is not ours, expired or used before; then there is no address that could be trusted.
 * [spec: Connecting a channel; operator-interface §3; faults: 81]
 */
export async function finishSetup(deps: UseCaseDeps, callback: SetupCallback): Promise<string | null> {
  const state = parseState(callback.state);
  if (state === null) return null;
  const { setupSessions } = deps.stores;
  const session = await setupSessions.finish(state.sessionId, hashOf(state.token), deps.clock.now());
  if (session === null) return null;
  const outcome = await connect(deps, session, callback);
  const isConnected = 'code' in outcome;
  deps.log.info(
    { sessionId: session.id, accountId: session.accountId, outcome: isConnected ? 'code' : outcome.refused },
    'setup.finished',
  );
  return withParams(session.redirectUri, isConnected ? { code: outcome.code } : paramsOf(outcome.refused));
}

/** The session is used up, so whatever fails from here on must bring the person back to the client. */
async function connect(
  deps: UseCaseDeps,
  session: SetupSession,
  { code, error }: SetupCallback,
): Promise<SetupOutcome> {
  if (error !== null || code === null) return { refused: refusalOfDialog(error) };
  try {
    const { channelType } = session;
    const assets = await deps.upstream.assetsOf({ channelType, code, redirectUri: callbackUrl(deps) });
    return await reserveAsset(deps, session, assets);
  } catch (thrown) {
    deps.log.warn({ sessionId: session.id, error: asError(thrown) }, 'setup.failed');
    const isUpstream = thrown instanceof Fault && thrown.code === 'upstream_failed';
    return { refused: isUpstream ? 'upstream_failed' : 'temporarily_unavailable' };
  }
}

function paramsOf(refused: RefusalWord): Record<string, string> {
  return { error: refused, error_description: refusals[refused] };
}
