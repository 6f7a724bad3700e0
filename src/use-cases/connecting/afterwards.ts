import { sealContext } from '../../domain/accounts/sealed.ts';
import { withParams } from '../../domain/connecting/redirect-uri.ts';
import { hashSecret, newId } from '../../kernel/ids.ts';
import type { SetupSession } from '../ports/connecting.ts';
import type { UseCaseDeps } from '../deps.ts';
import { refusals } from './refusals.ts';
import type { OfferedAsset, SetupOutcome } from './reserve-asset.ts';
import { newSetupToken, makeState } from './secrets.ts';

/** Where the person goes: back to the client, or to our page that asks which of several to connect; null: nowhere. */
export async function afterwards(
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
 * The choice is a session of its own, with a token that upstream has never seen. The setup URL still opens the dialog, for who gives
 * up half way; who comes first with a choice or with another walk through the dialog gets the code.
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
