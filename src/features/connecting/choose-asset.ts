import { hashSecret } from '../../kernel/ids.ts';
import { sealContext } from '../../kernel/sealed.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { explainUnusable } from '../../rules/channels/unusable.ts';
import { weighAssets } from './choose-asset-rules.ts';
import type { UpstreamAsset } from '../../upstream/connecting-calls.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { setupRedirect } from './setup-outcome.ts';
import type { OfferedAsset, SealedChoice, SetupOutcome } from './setup-outcome.ts';
import { issueCodeOnce, takeSession, openSession } from './setup-session.ts';
import { keepEnding, repeatChoice } from './choice-ending.ts';
import { claimsOn, reserveAsset } from './reserve-asset.ts';
import { parseState } from './secrets.ts';
import { freeSlot, readSlots, ownSlot } from './slots.ts';
import type { AssetName, ChosenAsset, SetupChoice } from './types.ts';
import type { SetupSession } from './entity.ts';

/** Content of the choice page, any number of times; null once chosen, expired, or if redirect_uri is no longer whitelisted. */
export async function openChoice(world: World, state: string): Promise<SetupChoice | null> {
  const known = parseState(state);
  if (known === null) return null;
  const session = await openSession(world, known);
  const choice = session === null ? null : choiceIn(world, session);
  if (session === null || choice === null) return null;
  const { assets, unusable } = choice;
  const { accountId, channelType, redirectUri } = session;
  const [account, weighed] = await Promise.all([
    world.stores.accounts.byId(accountId),
    weighNow(world, session, assets),
  ]);
  return {
    asker: account?.name ?? null,
    noun: kindOf(channelType).noun,
    replacesGrants: kindOf(channelType).replacesGrants,
    redirectUri,
    options: weighed.ranked.flat().map(({ asset }) => nameAsset(asset)),
    leftOut: weighed.leftOut.map(({ asset, why }) => ({ ...nameAsset(asset), why })),
    unusable: unusable.map((one) => ({ ...one, handle: null, says: explainUnusable(one) })),
  };
}

/** Checks again, because an asset or the slot may have been taken since the dialog. Uses the token refusals found then. */
async function weighNow(
  world: World,
  session: SetupSession,
  assets: readonly OfferedAsset[],
): Promise<ReturnType<typeof weighAssets<OfferedAsset>>> {
  const [claims, book] = await Promise.all([claimsOn(world, assets), readSlots(world, session)]);
  const offered = new Set(assets.flatMap(({ isOffered, identity }) => (isOffered ? [identity] : [])));
  return weighAssets({
    assets,
    findClaimant: (asset) => claims.get(asset) ?? null,
    accountId: session.accountId,
    hasFreeSlot: freeSlot(book) !== null,
    isSlotOperable: (channel) => ownSlot(book, channel) !== null,
    isTokenRefused: ({ identity }) => identity !== null && offered.has(identity),
    reconnects: null,
  });
}

/** Only this sentence distinguishes it from declining in upstream's dialog, because the error code is OAuth's in both cases. */
export const choseNone = 'The person chose to connect none.';

const declined: SetupOutcome = { refused: 'access_denied', says: choseNone };

/**
 * URL to redirect the person to after a choice, or after declining (`identity` null). null if the choice is unknown, expired or made
 * already, if it offers no such asset, or if redirect_uri is no longer whitelisted. A browser shows the answer to the second click of a
 * double click, which may reach another node: for a minute the same choice leads to the same URL. [faults: 503]
 */
export async function finishChoice(
  given: World,
  { state, identity, requestId }: ChosenAsset,
): Promise<string | null> {
  const world = underRequest(given, requestId);
  const known = parseState(state);
  if (known === null) return null;
  const offered = await openSession(world, known);
  if (offered === null) return repeatChoice(world, known, identity);
  const picked = (choiceIn(world, offered)?.assets ?? []).filter((asset) => asset.identity === identity);
  if (identity !== null && picked.length === 0) return null;
  const session = await takeSession(world, offered);
  if (session === null) return repeatChoice(world, known, identity);
  const outcome = identity === null ? declined : await connectPicked(world, session, picked);
  const next = outcome === null ? null : await setupRedirect(world, session, outcome);
  const code = outcome !== null && 'code' in outcome ? hashSecret(outcome.code) : null;
  await keepEnding(world, session, { identity, code, next });
  return next;
}

/** null if the setup URL has issued a code. */
async function connectPicked(
  world: World,
  session: SetupSession,
  picked: readonly OfferedAsset[],
): Promise<SetupOutcome | null> {
  const taken = session.origin === null ? null : await takeSession(world, session.origin);
  return taken && issueCodeOnce(world, taken, () => reserveAsset(world, session, picked));
}

/** null if the session is not a choice. The JSON needs no validation, because we sealed it ourselves. */
function choiceIn(world: World, { id, choice }: SetupSession): SealedChoice | null {
  if (choice === null) return null;
  const sealed: SealedChoice | OfferedAsset[] = JSON.parse(
    world.sealer.openText(choice, sealContext.choice(id)),
  );
  // An earlier release sealed the assets alone; such a session lasts half an hour.
  return Array.isArray(sealed) ? { assets: sealed, unusable: [] } : sealed;
}

function nameAsset({ identity, name, profile, channelType }: UpstreamAsset): AssetName {
  const { phone_number: number, photoapp_username: username } = kindOf(channelType).publicFields(profile);
  return { identity, name, handle: number ?? (username == null ? null : `@${username}`) };
}
