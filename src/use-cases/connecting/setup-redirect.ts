import { sealContext } from '../../domain/accounts/sealed.ts';
import { withParams } from '../../domain/connecting/redirect-uri.ts';
import { hashSecret, newId } from '../../kernel/ids.ts';
import type { SetupSession } from '../ports/connecting.ts';
import type { UseCaseDeps } from '../deps.ts';
import { refusals } from './refusals.ts';
import type { OfferedAsset, SetupOutcome } from './reserve-asset.ts';
import { newSetupToken, makeState } from './secrets.ts';

/** URL to redirect the person to: the client's redirect_uri, or our page with the choice of assets; null: no redirect. */
export async function setupRedirect(
  deps: UseCaseDeps,
  session: SetupSession,
  outcome: SetupOutcome,
): Promise<string | null> {
  const { id: sessionId, accountId } = session;
  deps.log.info({ session: sessionId, account: accountId, outcome: wordOf(outcome) }, 'setup.finished');
  if ('closed' in outcome) return null;
  if ('ask' in outcome) return askWhich(deps, session, outcome.ask);
  if ('code' in outcome) return withParams(session.redirectUri, { code: outcome.code });
  const { refused, says = refusals[refused] } = outcome;
  return withParams(session.redirectUri, { error: refused, error_description: says });
}

function wordOf(outcome: SetupOutcome): string {
  if ('refused' in outcome) return outcome.refused;
  if ('code' in outcome) return 'code';
  return 'ask' in outcome ? 'choice' : 'closed';
}

/**
 * The choice gets a session of its own, with a token that upstream has never seen. The setup URL still opens the dialog, if the person
 * abandons the choice; whichever of the two finishes first gets the code.
 */
async function askWhich(
  deps: UseCaseDeps,
  session: SetupSession,
  assets: readonly OfferedAsset[],
): Promise<string> {
  const id = newId();
  const token = newSetupToken();
  await deps.stores.setupSessions.insert({
    ...session,
    id,
    tokenHash: hashSecret(token),
    finishedAt: null,
    origin: { id: session.id, tokenHash: session.tokenHash },
    choice: deps.sealer.sealText(JSON.stringify(assets), sealContext.choice(id)),
  });
  return `${deps.settings.baseUrl}/setup/choose?state=${makeState({ sessionId: id, token })}`;
}
