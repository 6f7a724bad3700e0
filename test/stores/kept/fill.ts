/**
 * One of everything that is stored: written through the ports, and read back through them. A field that is added to an entity is null here
 * and in `read.json`, because older data does not have it.
 */
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { Write } from '../../../src/storage/journal/writes.ts';
import { plainSealer } from '../../actors/support/plain-sealer.ts';
import { chatappProfile } from '../../support/profiles.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { codeOf } from '../conformance/channels.ts';
import {
  aDelivery,
  aGrant,
  aHeldFact,
  aKey,
  aMessage,
  aPass,
  aPerson,
  aRedirect,
  aReservation,
  aSession,
  aSubscription,
  aTemplate,
  anAccount,
  noon,
} from '../conformance/samples.ts';
import type { OpenStore } from '../conformance/store.ts';

const text = (plain: string) => plainSealer.sealText(plain, 'kept');
const bytes = (plain: string) => new Uint8Array(plainSealer.seal(Buffer.from(plain), 'kept'));

const accountId = 'account-1';
const owner = { accountId, businessAccountId: '311200000000001' };
const grant = aGrant({ profile: chatappProfile(), token: text('token'), subscribedAsset: '311200000000001' });

export async function fill(store: OpenStore): Promise<void> {
  await fillAccounts(store);
  await fillChannels(store);
  await fillTemplates(store);
  await fillFlows(store);
  await fillJournal(store);
}

async function fillAccounts({ stores }: OpenStore): Promise<void> {
  const email = 'ada@example.com';
  const key = aKey(accountId, { id: 'key-1', hash: 'hash-1' });
  const licence = aSubscription(accountId, { id: 'licence-1', expiresAt: noon + 9_000, externalId: 'ext-1' });
  await stores.accounts.create(anAccount({ id: accountId, email }), key, licence);
  await stores.keys.insert(aKey(accountId, { id: 'key-2', hash: 'hash-2', name: null, lastFour: null }), 50);
  await stores.keys.noteUsed([{ keyId: 'key-1', at: noon + 5 }]);
  await stores.keys.revoke('key-2', noon + 6);
  for (const n of [1, 2])
    await stores.redirects.add(
      aRedirect(accountId, 'key-1', { id: `redirect-${n}`, uriPattern: `https://app.example.com/${n}` }),
      3,
    );
  await stores.people.insert(
    aPerson({ id: accountId, accountId, email, passwordVersion: 'v1', confirmedAt: null }),
  );
  await stores.passes.insert(aPass({ id: 'pass-1', personId: accountId, passwordVersion: 'v1' }));
  await stores.passes.insert(aPass({ id: 'pass-2', personId: accountId, passwordVersion: 'v1' }));
  await stores.passes.take('pass-2', 'session', noon);
  const endless = { id: 'licence-2', expiresAt: null, source: 'enterprise', createdAt: noon + 1 } as const;
  await stores.subscriptions.insert(aSubscription(accountId, endless));
}

async function fillChannels({ stores }: OpenStore): Promise<void> {
  const reserved = (n: number, more: object = {}) =>
    aReservation({
      channelId: `channel-${n}`,
      accountId,
      apiKeyId: 'key-1',
      identity: `identity-${n}`,
      subscriptionId: `licence-${n}`,
      codeHash: `code-${n}`,
      grant,
      ...more,
    });
  const settings = { webhookUrl: 'https://shop.example.com', webhookSecret: text('secret') };
  await stores.channels.reserve(reserved(1), noon);
  await stores.channels.exchange(codeOf(reserved(1)), noon + 1, () => ({
    ...settings,
    webhookEvents: ['message.received'],
    echoStatuses: true,
  }));
  await stores.channels.reserve(reserved(3), noon);
  await stores.channels.exchange(codeOf(reserved(3)), noon + 2, () => ({}));
  await stores.channels.deactivate('channel-3', accountId);
  await stores.channels.reserve(reserved(3, { codeHash: 'code-4', identity: 'identity-4' }), noon + 3);
  await stores.channels.reserve(reserved(5), noon + 3);
  await stores.health.noteUpstream(
    'channel-1',
    { token: 'valid', isSubscribed: true, qualityRating: 'GREEN' },
    noon,
  );
  await stores.health.noteActivity([
    {
      channelId: 'channel-1',
      inboundAt: noon + 1,
      deliveryFailedAt: noon + 2,
      failingSince: noon + 2,
      lastFailure: '503',
    },
  ]);
}

async function fillTemplates({ stores }: OpenStore): Promise<void> {
  await stores.templates.put(aTemplate({ id: 'template-1', ...owner }), noon);
  await stores.templates.put(aTemplate({ id: 'template-2', ...owner, name: 'gone' }), noon);
  await stores.templates.remove(owner, ['template-2'], noon + 1);
  await stores.templates.synced(owner, { changed: [], goneIds: [] }, noon + 2, noon + 3_000);
  await stores.templates.syncFailed({ ...owner, dueAt: noon + 3_000 }, noon + 4_000);
  await stores.templateLimits.take('counter-1', { id: 'use-1', at: noon }, [{ max: 3, ms: 1_000 }]);
}

async function fillFlows({ stores }: OpenStore): Promise<void> {
  const session = {
    accountId,
    apiKeyId: 'key-1',
    tokenHash: 'hash',
    channelId: null,
    choice: text('assets'),
    origin: null,
  };
  await stores.setupSessions.insert(aSession({ id: 'session-1', ...session }));
  await stores.setupSessions.insert(aSession({ id: 'session-2', ...session }));
  await stores.setupSessions.finish('session-2', 'hash', noon);
  const record = { accountId, bodyHash: 'body', messageId: 'message-1', answer: null, createdAt: noon };
  await stores.idempotency.begin({ ...record, key: 'first' }, 0);
  await stores.idempotency.answered({ ...record, key: 'first' }, { status: 'sent', $n: 1 });
  await stores.idempotency.begin({ ...record, key: 'second' }, 0);
  const head = { accountId, kind: 'invitation', subject: 'Hello', recipient: null };
  const mail = { ...head, sendAfter: noon, sentAt: null, givenUp: null, gathersUntil: 0, createdAt: noon };
  await stores.mails.add({ id: 'mail-1', ...mail, lines: ['one', 'two'], link: null });
  await stores.mails.add({ id: 'mail-2', ...mail, lines: ['three'], link: null });
  await stores.mails.markSent('mail-2', noon + 1);
  await stores.strandedFacts.add([
    { id: 'parked-1', channelId: 'channel-1', at: noon, nodesGone: 0, facts: bytes('facts') },
  ]);
  const item = { reason: 'unknown', channelType: 'chatapp', kind: 'message', shape: '{}', times: 2 } as const;
  const nobody = { identity: null, channelId: null, accountId: null };
  await stores.quarantine.add([
    { id: 'item-1', ...item, ...nobody, createdAt: noon, lastSeenAt: noon + 1, sealed: null },
  ]);
}

async function fillJournal({ channelState }: OpenStore): Promise<void> {
  const of = { accountId, messageType: null };
  const first = { id: 'message-1', ...of, content: bytes('hello') };
  const second = { id: 'message-2', ...of, content: bytes('hello') };
  const waiting = { id: 'message-3', ...of, content: bytes('hello'), createdAt: noon + 1 };
  const delivery = (n: number) =>
    aDelivery('channel-1', {
      id: `delivery-${n}`,
      ...of,
      messageId: 'message-1',
      person: null,
      requestId: null,
      payload: bytes('{}'),
    });
  const call = {
    n: 1,
    at: noon,
    endedAt: noon + 1,
    outcome: 'deferred',
    error: 'busy',
    code: 4,
    traceId: null,
  } as const;
  const attempt = {
    attempts: 1,
    claims: 0,
    firstTriedAt: noon,
    nextDueAt: noon + 9,
    lastResult: '503',
    attemptLog: '1 2 503 status',
  };
  const digest = {
    accountId,
    kind: 'delivery-digest',
    subject: 'Sends',
    sendAfter: noon + 9,
    createdAt: noon,
  } as const;
  const writes: Write[] = [
    { write: 'insertMessage', message: aMessage('channel-1', first) },
    { write: 'insertMessage', message: aMessage('channel-1', second) },
    { write: 'insertMessage', message: aMessage('channel-1', waiting) },
    {
      write: 'recordDeferred',
      messageId: 'message-3',
      nextTryAt: noon + 9,
      error: 'busy',
      errorCode: 4,
      call,
    },
    { write: 'recordFailed', messageId: 'message-2', error: 'refused', errorCode: null, at: noon + 2 },
    { write: 'insertDelivery', delivery: delivery(1) },
    { write: 'insertDelivery', delivery: delivery(2) },
    { write: 'recordAccepted', messageId: 'message-1', upstreamId: 'up.1', rank: 2, at: noon + 3 },
    { write: 'keepWaiting', unmatched: aHeldFact({ id: 'fact-1', fact: text('receipt') }) },
    {
      write: 'keepWaiting',
      unmatched: aHeldFact({ id: 'fact-2', fact: text('inbound'), dueAt: noon + 4 }),
    },
    { write: 'recordAttempt', deliveryId: 'delivery-1', attempt: { ...attempt, state: 'pending' } },
    { write: 'recordAttempt', deliveryId: 'delivery-2', attempt: { ...attempt, state: 'failed' } },
    { write: 'addMail', mail: { id: 'mail-3', ...digest, opening: ['Hello'], line: 'one' } },
    { write: 'addMail', mail: { id: 'mail-3', ...digest, opening: ['Hello'], line: 'two' } },
  ];
  for (const write of writes) await channelState.commit('channel-1', 1, [write]);
}

/** Everything that the ports return, as JSON. */
export async function read(store: OpenStore): Promise<unknown> {
  const parts = { ...(await readAccounts(store)), ...(await readRest(store)), ...(await readJournal(store)) };
  return JSON.parse(
    JSON.stringify(parts, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    ),
  );
}

async function readAccounts({ stores }: OpenStore) {
  const { accounts, keys, redirects, people, passes, subscriptions, channels, health } = stores;
  const code = (n: number) => ({ hash: `code-${n}`, accountId, apiKeyId: 'key-1' });
  const holders: (Channel | null)[] = [];
  for (const n of [1, 3, 4, 5]) holders.push(await channels.findClaimant('chatapp', `identity-${n}`));
  return {
    account: [await accounts.byId(accountId), await accounts.byEmail('ada@example.com')],
    accounts: await accounts.page(everything),
    keys: [
      await keys.list(accountId),
      await keys.page(accountId, everything),
      await keys.activeByHash('hash-1'),
    ],
    redirects: await redirects.list('key-1', everything),
    person: [await people.byId(accountId), await people.byEmail('ada@example.com')],
    passes: [await passes.find('pass-1', 'session', noon), await passes.find('pass-2', 'session', noon)],
    licences: [await subscriptions.list(accountId), await subscriptions.byExternalId('ext-1')],
    channels: [await channels.list(accountId, everything), holders],
    reserved: [
      shortly(await channels.reservedBy(code(4), noon + 4)),
      shortly(await channels.reservedBy(code(5), noon + 4)),
    ],
    health: await health.of('channel-1'),
  };
}

function shortly(reserved: Channel | null) {
  return reserved === null ? null : { channelId: reserved.id, subscriptionId: reserved.subscriptionId };
}

async function readRest({ stores }: OpenStore) {
  const { setupSessions, idempotency, mails, strandedFacts, quarantine, templates, templateLimits } = stores;
  const asked = { accountId, bodyHash: 'other', messageId: 'message-9', answer: null, createdAt: noon + 9 };
  return {
    sessions: [
      await setupSessions.open('session-1', 'hash', noon),
      await setupSessions.open('session-2', 'hash', noon),
    ],
    idempotency: [
      await idempotency.begin({ ...asked, key: 'first' }, noon),
      await idempotency.begin({ ...asked, key: 'second' }, noon),
    ],
    mails: [await mails.list(null, everything), await mails.due(noon + 1, 9), await mails.unsent('mail-2')],
    parked: await strandedFacts.ofChannel('channel-1', 9),
    quarantine: await quarantine.list(everything),
    templates: [await templates.list(owner, null, everything), await templates.sync(owner)],
    lastUse: await templateLimits.lastUse('counter-1'),
  };
}

async function readJournal({ channelState, stores }: OpenStore) {
  const loaded = await channelState.load('channel-1', 1, noon, 9);
  const messages = ['message-1', 'message-2', 'message-3'];
  const known = await channelState.findMessages('channel-1', { ids: messages, upstreamIds: [] });
  const records: unknown[] = [];
  for (const id of messages) records.push(await stores.messageLog.byId(id));
  const page = { limit: 9, cursor: null };
  return {
    loaded,
    known: known.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    records,
    byUpstreamId: await channelState.findMessages('channel-1', { ids: [], upstreamIds: ['up.1'] }),
    inbound: await channelState.pendingInbound('channel-1', 0, 9),
    payload: await channelState.deliveryPayload('channel-1', 'delivery-1'),
    // The two stores differ in whether they keep the due time of an ended delivery.
    deliveries: (
      await stores.deliveryLog.list({
        accountId,
        channelId: 'channel-1',
        since: 0,
        event: null,
        state: null,
        page,
      })
    ).items.map((each) => (each.state === 'pending' ? each : { ...each, nextDueAt: 0 })),
    due: await stores.dueWork.channelsWithDueWork(noon + 99, 9),
  };
}
