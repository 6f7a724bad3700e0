import { sealContext } from '../../domain/accounts/sealed.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import { hashOf } from '../../kernel/ids.ts';
import type { SetupSession, UpstreamAsset } from '../ports/connecting.ts';
import type { UseCaseDeps } from '../deps.ts';
import { afterwards } from './afterwards.ts';
import { handOutOnce, takeSession } from './hand-out-once.ts';
import { reserveAsset } from './reserve-asset.ts';
import type { SetupOutcome } from './reserve-asset.ts';
import { parseState } from './secrets.ts';
import type { ChosenAsset, SetupChoice } from './types.ts';

/** What our page offers; as often as the person likes, until it is chosen or expired: then null. */
export async function openChoice(deps: UseCaseDeps, state: string): Promise<SetupChoice | null> {
  const known = parseState(state);
  if (known === null) return null;
  const { sessionId, token } = known;
  const session = await deps.stores.setupSessions.open(sessionId, hashOf(token), deps.clock.now());
  const assets = session === null ? null : assetsIn(deps, session);
  if (session === null || assets === null) return null;
  const { accountId, channelType, redirectUri } = session;
  const account = await deps.stores.accounts.byId(accountId);
  const asker = account?.name ?? null;
  return { asker, noun: kindOf(channelType).noun, redirectUri, options: assets.map(optionOf) };
}

const declined: SetupOutcome = { refused: 'access_denied', says: 'The person chose to connect none.' };

/**
 * Where to send the person who has chosen, or declined: `identity` null. null when the choice is unknown, expired, made before,
 * or offers no such asset.
 */
export async function finishChoice(
  deps: UseCaseDeps,
  { state, identity }: ChosenAsset,
): Promise<string | null> {
  const known = parseState(state);
  if (known === null) return null;
  const { sessionId, token } = known;
  const { setupSessions } = deps.stores;
  const [at, hash] = [deps.clock.now(), hashOf(token)];
  const offered = await setupSessions.open(sessionId, hash, at);
  const picked =
    offered === null ? [] : (assetsIn(deps, offered) ?? []).filter((a) => a.identity === identity);
  if (identity !== null && picked.length === 0) return null;
  const session = await setupSessions.finish(sessionId, hash, at);
  if (session === null) return null;
  if (identity === null) return afterwards(deps, session, declined);
  const taken = session.origin === null ? null : await takeSession(deps, session.origin);
  if (taken === null) return null;
  return afterwards(deps, session, await handOutOnce(deps, taken, () => reserveAsset(deps, session, picked)));
}

/** null: a session that the dialog has not ended. What we sealed ourselves has the shape we gave it. */
function assetsIn(deps: UseCaseDeps, { id, choice }: SetupSession): UpstreamAsset[] | null {
  if (choice === null) return null;
  const assets: UpstreamAsset[] = JSON.parse(deps.sealer.openText(choice, sealContext.choice(id)));
  return assets;
}

function optionOf({ identity, name, profile, channelType }: UpstreamAsset): SetupChoice['options'][number] {
  const fields = kindOf(channelType).publicFields(profile);
  return { identity, name, handle: fields.phone_number ?? fields.photoapp_username ?? null };
}
