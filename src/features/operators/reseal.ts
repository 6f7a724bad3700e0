/**
 * Key rotation. Tokens and webhook secrets live as long as their channels, secrets of two-step sign-in as long as their people: they are
 * sealed again under a new first key, so that the old key can be removed. All other sealed values expire by themselves.
 * [faults: 100; operator-interface §2 ENCRYPTION_KEYS]
 */
import { sealContext } from '../../kernel/sealed.ts';
import type { SealedText } from '../../kernel/sealed.ts';
import type { WorldParts } from '../world.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import { readById } from '../../kernel/paging.ts';
import type { ChannelSecrets } from '../channels/index.ts';

/** Channels checked for missing keys when a node starts. */
const firstChannels = 1_000;

/** Default webhooks per query. */
const defaultsAtOnce = 200;

type SealingWorld = Pick<WorldParts, 'stores' | 'sealer' | 'counters' | 'log'>;

/** Seals secrets under the newest key if they are under another; logs the number of changed and of unreadable channels. */
export async function resealSecrets(world: SealingWorld): Promise<void> {
  let resealed = 0;
  let unreadable = 0;
  for await (const before of readById((id, limit) => world.stores.channels.secretsAfter(id, limit))) {
    const after = resealOne(world, before);
    if (after === 'unreadable') unreadable += 1;
    else if (after !== null && (await world.stores.channels.replaceSecrets(before, after))) resealed += 1;
  }
  await resealDefaults(world);
  await resealEndpoints(world);
  await resealSteps(world);
  world.counters.increment('channels_resealed_total', {}, resealed);
  if (resealed > 0) world.log.info({ channels: resealed }, 'keys.resealed');
  if (unreadable > 0) world.log.error({ channels: unreadable }, 'keys.missing');
}

/** Those of the accounts' default webhooks. */
async function resealDefaults(world: SealingWorld): Promise<void> {
  for await (const { accountId, webhookSecret } of readDefaults(world.stores)) {
    await resealText(world, webhookSecret, sealContext.defaultWebhook(accountId), {
      whose: { account: accountId },
      replace: (from, to) => world.stores.defaultWebhooks.replaceSecret(accountId, from, to),
    });
  }
}

/** Secrets and headers of endpoints. One that cannot be read stays. */
async function resealEndpoints(world: SealingWorld): Promise<void> {
  const { endpoints } = world.stores;
  for await (const endpoint of readById((after, limit) => endpoints.someAfter(after, limit))) {
    const owner = ownerOf(endpoint.channelId, endpoint.id);
    const whose = { endpoint: endpoint.id };
    for (const name of ['secret', 'previousSecret'] as const)
      await resealText(world, endpoint[name], sealContext.webhookSecret(owner), {
        whose,
        replace: (from, to) =>
          endpoints.change(endpoint, (now) => (now[name] === from ? { [name]: to } : null)),
      });
    await resealText(world, endpoint.headers?.sealed ?? null, sealContext.endpointHeaders(owner), {
      whose,
      replace: (from, to) =>
        endpoints.change(endpoint, ({ headers }) =>
          headers?.sealed === from ? { headers: { ...headers, sealed: to } } : null,
        ),
    });
  }
}

interface Holder {
  whose: { account: string } | { person: string } | { endpoint: string };
  replace: (from: SealedText, to: SealedText) => Promise<unknown>;
}

/** One that cannot be read stays. */
async function resealText(
  { sealer, log }: SealingWorld,
  from: SealedText | null,
  context: string,
  { whose, replace }: Holder,
): Promise<void> {
  if (from === null || sealer.describeKey(from).isNewest) return;
  try {
    await replace(from, sealer.sealText(sealer.openText(from, context), context));
  } catch {
    log.error(whose, 'keys.missing'); // the error is not passed on: its text could quote a secret
  }
}

async function* readDefaults({ defaultWebhooks }: SealingWorld['stores']) {
  let after = '';
  for (;;) {
    const some = await defaultWebhooks.after(after, defaultsAtOnce);
    yield* some;
    const last = some.at(-1);
    if (last === undefined) return;
    after = last.accountId;
  }
}

const peoplePerQuery = 100;

/** Of people who sign in with two steps. One that is unreadable stays: recovery codes still work. */
async function resealSteps(world: SealingWorld): Promise<void> {
  let after = { stepSince: 0, id: '' };
  for (;;) {
    const found = await world.stores.people.withStep(after, peoplePerQuery);
    for (const { id, stepSecret, stepSince } of found) {
      after = { stepSince: stepSince ?? after.stepSince, id };
      await resealText(world, stepSecret, sealContext.secondStep(id), {
        whose: { person: id },
        replace: (from, to) => world.stores.people.resealStep(id, from, to),
      });
    }
    if (found.length < peoplePerQuery) return;
  }
}

/** Ids of keys that secrets of the first channels need but that are not configured, each with its number of channels. */
export async function missingKeys({
  stores,
  sealer,
}: Pick<SealingWorld, 'stores' | 'sealer'>): Promise<Map<string, number>> {
  const missing = new Map<string, number>();
  for (const secrets of await stores.channels.secretsAfter('', firstChannels)) {
    const ids = new Set(sealedIn(secrets).map((sealed) => sealer.describeKey(sealed)));
    for (const id of new Set([...ids].flatMap((key) => (key.isKnown ? [] : [key.id]))))
      missing.set(id, (missing.get(id) ?? 0) + 1);
  }
  return missing;
}

/** null if everything is under the newest key. */
function resealOne({ sealer }: SealingWorld, secrets: ChannelSecrets): ChannelSecrets | 'unreadable' | null {
  if (sealedIn(secrets).every((sealed) => sealer.describeKey(sealed).isNewest)) return null;
  const { id, token, webhookSecret, previousSecret } = secrets;
  const anew = (sealed: SealedText | null, context: string): SealedText | null =>
    sealed === null ? null : sealer.sealText(sealer.openText(sealed, context), context);
  try {
    return {
      id,
      token: anew(token, sealContext.token(id)),
      webhookSecret: anew(webhookSecret, sealContext.webhookSecret(id)),
      previousSecret: anew(previousSecret, sealContext.webhookSecret(id)),
    };
  } catch {
    return 'unreadable'; // the error is not passed on: its text could quote a secret
  }
}

function sealedIn({ token, webhookSecret, previousSecret }: ChannelSecrets): SealedText[] {
  return [token, webhookSecret, previousSecret].filter((sealed) => sealed !== null);
}
