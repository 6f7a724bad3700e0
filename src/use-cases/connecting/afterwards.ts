import { sealContext } from '../../domain/accounts/sealed.ts';
import { withParams } from '../../domain/connecting/redirect-uri.ts';
import { hashOf, newId } from '../../kernel/ids.ts';
import type { SetupSession, UpstreamAsset } from '../ports/connecting.ts';
import type { UseCaseDeps } from '../deps.ts';
import { refusals } from './refusals.ts';
import type { SetupOutcome } from './reserve-asset.ts';
import { newSetupToken, stateOf } from './secrets.ts';

/** Where the person goes: back to the client, or to our page that asks which of several to connect. */
export async function afterwards(
  deps: UseCaseDeps,
  session: SetupSession,
  outcome: SetupOutcome,
): Promise<string> {
  const { id: sessionId, accountId } = session;
  const word = 'code' in outcome ? 'code' : 'ask' in outcome ? 'choice' : outcome.refused;
  deps.log.info({ session: sessionId, account: accountId, outcome: word }, 'setup.finished');
  if ('ask' in outcome) return askWhich(deps, session, outcome.ask);
  if ('code' in outcome) return withParams(session.redirectUri, { code: outcome.code });
  const { refused, says = refusals[refused] } = outcome;
  return withParams(session.redirectUri, { error: refused, error_description: says });
}

/** The dialog's session is used up; the choice is one of its own, with a token that upstream has never seen. */
async function askWhich(
  deps: UseCaseDeps,
  session: SetupSession,
  assets: readonly UpstreamAsset[],
): Promise<string> {
  const id = newId();
  const token = newSetupToken();
  await deps.stores.setupSessions.insert({
    ...session,
    id,
    tokenHash: hashOf(token),
    expiresAt: deps.clock.now() + deps.settings.setupUrlTtlMs,
    finishedAt: null,
    choice: deps.sealer.sealText(JSON.stringify(assets), sealContext.choice(id)),
  });
  return `${deps.settings.baseUrl}/setup/choose?state=${stateOf({ sessionId: id, token })}`;
}
