/** How a setup flow ends, and where the person is redirected. */
import { sealContext } from '../../kernel/sealed.ts';
import type { Unusable } from '../../rules/channels/unusable.ts';
import { hashSecret, newId } from '../../kernel/ids.ts';
import type { UpstreamAsset } from '../../upstream/connecting-calls.ts';
import type { World } from '../world.ts';
import { hasRoomForChoice } from './open-setups.ts';
import { newSetupToken, makeState } from './secrets.ts';
import type { SetupSession } from './entity.ts';
import { withParams } from '../redirects/index.ts';

/**
 * Reasons for ending a setup flow without a code: `error` and `error_description` for the client's redirect_uri. Only fixed
 * sentences: no text of upstream or of the query is echoed. [operator-interface §3; faults: 81]
 */
const refusals = {
  access_denied: 'The connection was not allowed in the dialog of the platform.',
  invalid_request: 'The platform refused the request of the setup flow.',
  unauthorized_client:
    'The platform does not allow this service to ask for the connection; whoever runs the service must look at its app there.',
  unsupported_response_type: 'The platform refused the request of the setup flow.',
  invalid_scope: 'The platform does not know the permissions that were asked for.',
  server_error: 'The connection could not be completed; start the setup again.',
  temporarily_unavailable: 'The connection could not be completed now; start the setup again later.',
  upstream_failed: 'The platform did not complete the connection; start the setup again.',
  nothing_picked: 'Nothing was selected that can be connected as a channel of this type.',
  // Does not say by whom, because that would reveal another tenant. [faults: I6]
  claimed_elsewhere: 'What was selected can not be connected to this account; contact support.',
  already_active: 'What was selected is connected already.',
  other_identity: 'What was selected is not what this channel is connected to; select that one.',
  no_free_slot: 'No active licence has a free slot for a channel of this type.',
} as const;

type RefusalWord = keyof typeof refusals;

/** OAuth's error codes beside `access_denied`; the other codes are ours. [RFC 6749 §4.1.2.1] */
const dialogWords: readonly RefusalWord[] = [
  'invalid_request',
  'unauthorized_client',
  'unsupported_response_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
];

/** What the dialog returned in place of a code. */
interface DialogRefusal {
  error: string | null;
  /** A number in place of `error`: the dialog refused to open. [upstream §2.1 step 2] */
  errorCode: number | null;
}

/** Of the dialog's numbers: the person left it; upstream has broken down. All others are about the app. */
const dialogCodes: ReadonlyMap<number, RefusalWord> = new Map([
  [1, 'temporarily_unavailable'],
  [2, 'temporarily_unavailable'],
  [200, 'access_denied'],
  [4201, 'access_denied'],
]);

/** An unknown error, or none at all, counts as `access_denied`. */
export function refusalOfDialog({ error, errorCode }: DialogRefusal): RefusalWord {
  if (error === null && errorCode !== null) return dialogCodes.get(errorCode) ?? 'unauthorized_client';
  return dialogWords.find((word) => word === error) ?? 'access_denied';
}

/** A granted asset. `isOffered`: the person can choose it; the others are shown with a reason. */
export type OfferedAsset = UpstreamAsset & { isOffered: boolean };

/** What a session with a choice holds. */
export interface SealedChoice {
  assets: readonly OfferedAsset[];
  unusable: readonly Unusable[];
}

export type SetupOutcome =
  | { code: string }
  /** redirect_uri is no longer whitelisted: no redirect, and an issued code is never shown to anybody. */
  | { closed: true }
  /** The person must choose. */
  | { ask: OfferedAsset[]; unusable?: readonly Unusable[] }
  /** `says` replaces the standard sentence of the error code. */
  | { refused: RefusalWord; says?: string };

/** URL to redirect the person to: the client's redirect_uri, or our page with the choice of assets; null: no redirect. */
export async function setupRedirect(
  world: World,
  session: SetupSession,
  outcome: SetupOutcome,
): Promise<string | null> {
  const { id: sessionId, accountId } = session;
  world.log.info({ session: sessionId, account: accountId, outcome: wordOf(outcome) }, 'setup.finished');
  if ('closed' in outcome) return null;
  if ('ask' in outcome)
    return askWhich(world, session, { assets: outcome.ask, unusable: outcome.unusable ?? [] });
  if ('code' in outcome) return withParams(session.redirectUri, { code: outcome.code });
  return withRefusal(session, outcome.refused, outcome.says);
}

function withRefusal(
  { redirectUri }: SetupSession,
  refused: RefusalWord,
  says: string = refusals[refused],
): string {
  return withParams(redirectUri, { error: refused, error_description: says });
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
async function askWhich(world: World, session: SetupSession, choice: SealedChoice): Promise<string> {
  if (!(await hasRoomForChoice(world, session.accountId)))
    return withRefusal(session, 'temporarily_unavailable');
  const id = newId();
  const token = newSetupToken();
  await world.stores.setupSessions.insert({
    ...session,
    id,
    tokenHash: hashSecret(token),
    finishedAt: null,
    ending: null,
    origin: { id: session.id, tokenHash: session.tokenHash },
    choice: world.sealer.sealText(JSON.stringify(choice), sealContext.choice(id)),
  });
  return `${world.settings.baseUrl}/setup/choose?state=${makeState({ sessionId: id, token })}`;
}
