/** What a large account has besides messages, and the accounts beside it, written by the service's own stores while it does not run. */
import { emptyHour } from '../../src/features/deliveries/hours.ts';
import { wordsOfNamed } from '../../src/features/channels/words.ts';
import { wordsOfAccount } from '../../src/features/accounts/search-words.ts';
import type { Stores } from '../../src/features/stores.ts';
import { hourMs, minuteMs } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { trial } from '../../src/rules/licences/subscription.ts';
import { silentLog } from '../../test/support/silent-log.ts';
import {
  aMail,
  anAccount,
  anAuditEntry,
  aRequest,
  aTemplate,
} from '../../test/stores/conformance/samples.ts';
import { openEmbeddedStore } from '../../test/support/stores.ts';

const hours = 30 * 24;
/** The most that the service keeps of an account. */
const entries = 10_000;
const templates = 2_000;
const otherAccounts = 10_000;
const mails = 2_000;
/** Channels with a failing receiver, from the newest on; and those whose token is refused. */
const failing = 100;
const atOnce = 500;

export async function insertOthers(dataDir: string, accountId: string, now: number): Promise<void> {
  const store = await openEmbeddedStore({ dataDir, log: silentLog });
  const { stores } = store;
  await insertOfChannels(stores, accountId, now);
  const tallied = Array.from({ length: hours }, (_, n) => hourOf(accountId, now - n * hourMs));
  await stores.deliveryHours.add(tallied);
  await insertLogs(stores, accountId, now);
  await insertTemplates(stores, accountId, now);
  await insertAccounts(stores, now);
  await store.close();
}

function hourOf(accountId: string, at: number) {
  const counts = { delivered: 64_000, retried: 40, givenUp: 2, within50ms: 60_000, within1s: 4_040 };
  return { ...emptyHour(accountId, Math.floor(at / hourMs) * hourMs), ...counts };
}

/** Words, and the health of each as a check and its deliveries leave it. */
async function insertOfChannels(stores: Stores, accountId: string, now: number): Promise<void> {
  const { items } = await stores.channels.list(accountId, { limit: null, cursor: null });
  for (let at = 0; at < items.length; at += atOnce) {
    const some = items.slice(at, at + atOnce);
    const words = some.flatMap((channel) =>
      wordsOfNamed(channel).map((word) => ({ accountId, word, channelId: channel.id })),
    );
    await stores.channelWords.add(words);
    await Promise.all(
      some.map(async ({ id }, index) => {
        const token = at + index < failing ? 'refused' : 'valid';
        await stores.health.noteUpstream(id, { token, isSubscribed: true, qualityRating: 'GREEN' }, now);
        await stores.health.noteAccount({ id, accountId });
      }),
    );
    await stores.health.noteActivity(
      some.map(({ id }, index) => ({
        channelId: id,
        inboundAt: now,
        statusAt: now,
        ...(at + index < items.length - failing
          ? { deliveredAt: now }
          : { deliveryFailedAt: now, failingSince: now - hourMs, lastFailure: '500' }),
      })),
    );
  }
}

async function insertLogs(stores: Stores, accountId: string, now: number): Promise<void> {
  const times = Array.from({ length: entries }, (_, n) => now - n * minuteMs);
  await stores.requestLog.add(
    times.map((createdAt, n) =>
      aRequest(accountId, { ...(n % 1_000 === 0 ? refusedSend : takenSend), createdAt }),
    ),
  );
  for (let from = 0; from < times.length; from += atOnce)
    await Promise.all(
      times.slice(from, from + atOnce).map((at, n) =>
        stores.audit.add(
          anAuditEntry({
            accountId,
            actor: n % 2 === 0 ? 'person' : 'key',
            actorName: 'mia@example.com',
            before: { webhook_url: 'https://shop.example/old' },
            after: { webhook_url: 'https://shop.example/hooks' },
            createdAt: at,
          }),
        ),
      ),
    );
  for (const at of times.slice(0, mails))
    await stores.mails.add(aMail({ accountId, sendAfter: at, sentAt: at, createdAt: at }));
}

const takenSend = { method: 'POST', route: '/api/v1/messages/send' };
const refusedSend = { ...takenSend, status: 422, isFailed: true, code: 'invalid_request' };

async function insertTemplates(stores: Stores, accountId: string, now: number): Promise<void> {
  const { items } = await stores.channels.list(accountId, { limit: 1, cursor: null });
  const profile: object = items[0]?.profile ?? {};
  const businessAccountId = String(Reflect.get(profile, 'businessAccountId'));
  for (let n = 0; n < templates; n += 1)
    await stores.templates.put(
      aTemplate({
        accountId,
        businessAccountId,
        upstreamId: String(900_000_000_100_000 + n),
        name: `order_ready_${n}`,
        status: 'APPROVED',
        components: [
          { type: 'BODY', text: 'Dear {{1}}, your order {{2}} is ready. Come by whenever it suits you.' },
        ],
        parameterFormat: 'positional',
        syncedAt: now,
        createdAt: now - n,
      }),
      now,
    );
}

async function insertAccounts(stores: Stores, now: number): Promise<void> {
  for (let from = 0; from < otherAccounts; from += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, n) => insertAccount(stores, from + n, now)));
}

async function insertAccount(stores: Stores, n: number, now: number): Promise<void> {
  const id = newId();
  const named = { email: `owner-${n}@shop-${n}.example`, name: `Harbour Bakery ${n}` };
  const account = anAccount({ id, ...named, createdAt: now - n });
  const licence = trial({ id: newId(), accountId: id, tier: 'pro', days: 14, now });
  await stores.accounts.create(account, null, licence);
  await stores.accountWords.add(wordsOfAccount(account).map((word) => ({ word, accountId: id })));
  await stores.deliveryHours.add([
    { ...emptyHour(id, Math.floor(now / hourMs) * hourMs), delivered: 7, givenUp: 1 },
  ]);
}
