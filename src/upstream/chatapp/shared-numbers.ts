import type { PickedAssets, UpstreamAsset } from '../connecting-calls.ts';
import { Fault, fault } from '../../kernel/faults.ts';
import { asId, asName } from '../read.ts';
import type { Json } from '../read.ts';
import type { PickRequest, PickWorld } from '../kind.ts';
import { expiryOf, inspectToken, scopesOf, tokenForCode } from '../tokens.ts';
import { isDualUse, readThroughput } from './number.ts';

const numberFields = 'id,display_phone_number,verified_name,quality_rating,is_on_biz_app,throughput,status';

/** A token lists every account that its business ever shared with the app. */
const maxAccounts = 200;
const readAtOnce = 5;

/**
 * The numbers of the business accounts that a person shared. After a redirect the session data of the sign-up popup is not available, so
 * the accounts are read from the token's granular scopes. No scope is asked for by name: a call tells what the token may do, and tokens
 * without the expected names worked. [upstream §2.4]
 */
export async function chatappAssets(world: PickWorld, request: PickRequest): Promise<PickedAssets> {
  const { graph, settings } = world;
  const token = await tokenForCode(graph, settings, request);
  const known = await inspectToken(graph, settings, token);
  if (known['is_valid'] === false) throw fault('upstream_failed', { why: 'its access token is not valid' });
  const shared = sharedAccounts(known);
  if (shared.length === 0) world.log.warn({ scopes: countTargets(known) }, 'upstream.no-account-shared');
  const accounts = await readAccounts(world, token, shared);
  const expiry = expiryOf(known);
  const assets = accounts.flatMap(({ id, numbers }) =>
    numbers.flatMap((number) => readAsset(number, id, { token, tokenExpiresAt: expiry })),
  );
  const failed = accounts.find(({ failure }) => failure !== null)?.failure ?? null;
  if (assets.length === 0 && failed !== null) throw failed;
  return { assets, unusable: accounts.flatMap(unusable) };
}

/** The targets of every scope of the platform; those of `business_management` are businesses, not accounts. */
function sharedAccounts(known: Json): string[] {
  const scopes = scopesOf(known).filter(({ name }) => name.startsWith('whatsapp_'));
  return [...new Set(scopes.flatMap(({ targets }) => targets))].slice(0, maxAccounts);
}

/** Whether a scope without targets means every account is not known: such a line settles it. [upstream §2.5] */
function countTargets(known: Json): { name: string; targets: number }[] {
  return scopesOf(known).map(({ name, targets }) => ({ name, targets: targets.length }));
}

interface Account {
  id: string;
  numbers: Json[];
  /** Upstream does not let the token read it. */
  isHidden: boolean;
  /** It could not be read now; null: it was, or is hidden. */
  failure: Fault | null;
}

async function readAccounts(world: PickWorld, token: string, ids: readonly string[]): Promise<Account[]> {
  const accounts: Account[] = [];
  for (let from = 0; from < ids.length; from += readAtOnce) {
    const group = ids.slice(from, from + readAtOnce);
    accounts.push(...(await Promise.all(group.map((id) => readAccount(world, token, id)))));
  }
  return accounts;
}

/** The other accounts are offered, whatever one of them answers. */
async function readAccount({ graph, log }: PickWorld, token: string, id: string): Promise<Account> {
  const path = `/${encodeURIComponent(id)}/phone_numbers`;
  try {
    const numbers = await graph.all({ path, query: { fields: numberFields }, token });
    return { id, numbers, isHidden: false, failure: null };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const isHidden = deniesAccess(thrown.details);
    log.warn({ business_account: id, why: thrown.message }, 'upstream.account-not-read');
    return { id, numbers: [], isHidden, failure: isHidden ? null : thrown };
  }
}

/** The object does not exist for this token, or a permission is missing. [upstream §3.5] */
function deniesAccess({ code, subcode }: Fault['details']): boolean {
  if (code === 100) return subcode === 33;
  return typeof code === 'number' && ([3, 10, 803].includes(code) || (code >= 200 && code <= 299));
}

function unusable({ id, numbers, isHidden, failure }: Account): PickedAssets['unusable'] {
  if (isHidden) return [{ identity: id, name: null, why: 'unreadable' }];
  return numbers.length === 0 && failure === null ? [{ identity: id, name: null, why: 'no_number' }] : [];
}

function readAsset(
  number: Json,
  businessAccountId: string,
  grant: Pick<UpstreamAsset, 'token' | 'tokenExpiresAt'>,
): UpstreamAsset[] {
  const identity = asId(number['id']);
  if (identity === null) return [];
  const profile: UpstreamAsset['profile'] = {
    type: 'chatapp',
    phoneNumberId: identity,
    phoneNumber: asName(number['display_phone_number']),
    businessAccountId,
    qualityRating: asName(number['quality_rating']),
    isDualUse: isDualUse(number) ?? false,
    throughput: readThroughput(number),
  };
  return [{ channelType: 'chatapp', identity, name: asName(number['verified_name']), profile, ...grant }];
}
