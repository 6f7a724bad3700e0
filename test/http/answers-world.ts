/** A world that has one of everything that an answer of the API or of the admin API shows. */
import { hashSecret, idFrom } from '../../src/kernel/ids.ts';
import { dayMs } from '../../src/kernel/clock.ts';
import { makeDeliveryId } from '../../src/rules/events/built.ts';
import { newMessage } from '../../src/rules/messages/message.ts';
import type { Channel } from '../../src/rules/channels/channel.ts';
import type { Template } from '../../src/rules/templates/template.ts';
import { quarantine } from '../../src/features/quarantine/quarantine-items.ts';
import type { World } from '../../src/features/world.ts';
import { chatappProfile } from '../support/profiles.ts';
import {
  aDelivery,
  aGrant,
  aKey,
  aMail,
  anAccount,
  anAuditEntry,
  aPerson,
  aRequest,
  aReservation,
  aSubscription,
  aTemplate,
} from '../stores/conformance/samples.ts';
import { anEndpoint } from '../stores/conformance/endpoints.ts';
import { connect, openHouse } from './house.ts';
import type { House } from './house.ts';
import { caller, licenceId, now, otherId, someId } from './support.ts';

/** A well-formed id of a pair of hexadecimal digits. */
const idOf = (pair: string): string => {
  const part = (length: number): string => pair.repeat(6).slice(0, length);
  return [part(8), part(4), `4${part(3)}`, `8${part(3)}`, part(12)].join('-');
};

/** `otherId` is the licence of the first channel, and the id of whatever else an account has one of. */
export const ids = {
  photo: idOf('a1'),
  page: idOf('a2'),
  late: idOf('a3'),
  loose: idOf('a4'),
  exchanged: idOf('a5'),
  lean: idOf('b1'),
  leanKey: idOf('b2'),
  leanLicence: idOf('b3'),
  leanChannel: idOf('b4'),
  spareKey: idOf('b5'),
  mia: idOf('c1'),
  invited: idOf('c2'),
  trial: idOf('d1'),
  endless: idOf('d2'),
  received: idOf('e1'),
  endpoint: idOf('f1'),
};

/** The delivery of what became of the message `otherId`: it was given up. */
export const givenUpId = makeDeliveryId(someId, otherId, 'message.delivered');
export const exchangeCode = `abc.${'c'.repeat(43)}`;
/** The ids of quarantined items: to drop, and to retry. */
export const aside = { drop: idFrom('aside', 'drop'), retry: idFrom('aside', 'retry') };

export async function openAnswers(): Promise<House> {
  const house = await openHouse();
  await openLicences(house);
  const channel = await openChannels(house);
  await openHealth(house);
  await openLogs(house, channel);
  await openEndpoint(house, channel);
  await openTemplates(house);
  await openLean(house);
  await openQuarantine(house, channel);
  const { accountId, apiKeyId } = caller;
  const redirect = { id: someId, uriPattern: 'https://*.a.example/*', createdAt: now };
  await house.stores.redirects.add({ ...redirect, accountId, apiKeyId }, 10);
  return house;
}

/** The same world on a cluster of two nodes; upstream refuses the token of the first channel. */
export function amongNodes({ world }: House): World {
  const status = {
    version: '0.1.0',
    commit: 'abc123',
    lease: 'held',
    busy: 0.12345,
    memoryBytes: 100,
    sendsOpen: 5,
    sendsWaiting: 2,
    oldestSendMs: 3_900,
    deliveriesPending: 7,
    oldestDeliveryMs: 61_000,
    receiversFailing: 1,
    peersWithoutLink: 1,
  } as const;
  const first = { nodeId: 'n1', channelsOwned: 3, startedAt: now, draining: false, isLinked: true, status };
  const last = {
    nodeId: 'n2',
    channelsOwned: 0,
    startedAt: now,
    draining: true,
    isLinked: false,
    status: null,
  };
  const cluster = { ...world.cluster, nodes: async () => [first, last], whereIs: async () => 'n1' };
  const { upstreamApp } = world;
  const channel: typeof upstreamApp.channel = async (asked) => {
    const tokenRefused = asked.id === someId ? 'expired' : null;
    return { ...(await upstreamApp.channel(asked)), tokenRefused };
  };
  return { ...world, cluster, upstreamApp: { ...upstreamApp, channel } };
}

async function openLicences({ stores }: House): Promise<void> {
  const { accountId } = caller;
  const since = now - 30 * dayMs;
  const paid = { source: 'billing_provider', externalId: 'sub_1', autoRenew: true } as const;
  for (const over of [
    { id: otherId, ...paid, startsAt: since, expiresAt: now + dayMs, createdAt: now - 1 },
    { id: ids.trial, startsAt: since, expiresAt: now - 1, createdAt: since - 2 },
  ])
    await stores.subscriptions.insert(aSubscription(accountId, over));
}

/** Of each type and in each state; the result: the one that has everything. */
async function openChannels(house: House): Promise<Channel> {
  const { stores } = house;
  const at = now - 2 * dayMs;
  const photo = { type: 'photoapp', username: 'harbour.bakery', pageId: '520000000000005' } as const;
  const page = aGrant({
    name: 'Page',
    profile: { type: 'pagechat', pageId: '520000000000006' },
    subscribedAsset: '520000000000006',
  });
  const webhook = {
    webhookUrl: 'https://receiver.example/hook',
    webhookSecret: aGrant().token,
    webhookEvents: ['message.received'],
    echoStatuses: true,
    failedRetentionDays: 1,
  };
  const number = chatappProfile({ qualityRating: 'GREEN' });
  const first = aGrant({ name: 'Example Shop', profile: number, subscribedAsset: number.businessAccountId });
  const channel = await connect(
    house,
    'chatapp',
    {
      channelId: someId,
      identity: number.phoneNumberId,
      subscriptionId: otherId,
      createdAt: at,
      grant: first,
    },
    webhook,
    now - dayMs,
  );
  await stores.channels.replaceToken(channel, { token: channel.token, tokenExpiresAt: now + dayMs });
  await connect(house, 'photoapp', {
    channelId: ids.photo,
    subscriptionId: otherId,
    createdAt: at + 1,
    grant: aGrant({ profile: { ...photo, accountId: '17840000000000006' } }),
  });
  await stores.channels.deactivate(ids.photo, caller.accountId);
  await connect(house, 'pagechat', { channelId: ids.page, createdAt: at + 2, grant: page });
  const late = {
    channelId: ids.late,
    identity: '422300000000009',
    subscriptionId: ids.trial,
    createdAt: at + 3,
  };
  await connect(
    house,
    'chatapp',
    { ...late, grant: aGrant({ name: 'Late', profile: chatappProfile() }) },
    webhook,
  );
  await connect(house, 'pagechat', {
    channelId: ids.loose,
    subscriptionId: ids.trial,
    createdAt: at + 4,
    grant: page,
  });
  await stores.channels.bind(ids.loose, null);
  const { accountId, apiKeyId } = caller;
  const reserved = {
    channelId: ids.exchanged,
    identity: '422300000000008',
    codeHash: hashSecret(exchangeCode),
  };
  const grant = aGrant({ name: 'New Shop', profile: chatappProfile({ phoneNumberId: '422300000000008' }) });
  const slot = { subscriptionId: licenceId, createdAt: now, codeExpiresAt: now + dayMs };
  await stores.channels.reserve(aReservation({ accountId, apiKeyId, ...reserved, grant, ...slot }), now);
  return channel;
}

async function openHealth({ stores, health, profiles, router }: House): Promise<void> {
  await stores.health.noteActivity([
    { channelId: someId, inboundAt: now - 1, deliveredAt: now - 2 },
    { channelId: ids.late, deliveryFailedAt: now, failingSince: now - dayMs, lastFailure: '500' },
  ]);
  const pending = { code: 'registration_pending', detail: 'The number is not verified' } as const;
  await stores.health.noteProblem(someId, { ...pending, affects: ['send'], nextTryAt: now + 1 }, now - 1);
  await stores.health.noteProblem(ids.late, { code: 'sends_paused' }, now);
  health.states.set(someId, { token: 'refused', isSubscribed: null, qualityRating: 'GREEN' });
  profiles.shown.set('8800000000000001', { first_name: 'Mia', last_name: null });
  const depths = { sendsOpen: 1, sendsWaiting: 2, deliveriesPending: 3, factsHeld: 4, filesOpen: 5 };
  router.inspection = { epoch: 7, ...depths };
}

/** A message that waits after a call, its event that was given up, one that was received, a replay, and requests. */
async function openLogs({ stores, channelState }: House, channel: Channel): Promise<void> {
  const { accountId, apiKeyId } = caller;
  const of = {
    accountId,
    person: '49',
    requestId: null,
    attempts: 8,
    firstTriedAt: now - dayMs,
    nextDueAt: now,
  };
  const attempted = { ...of, attemptLog: `${now} 12 500 status`, lastResult: '500', createdAt: now - dayMs };
  const called = {
    at: now - 9,
    endedAt: now - 8,
    outcome: 'deferred',
    error: 'Too fast',
    code: 131056,
  } as const;
  const own = { id: otherId, recipient: '49', state: 'sending', attemptedAt: now - 2, epoch: 3 } as const;
  const message = {
    ...newMessage(channel, { ...own, createdAt: now - 10, copies: 1, tries: 2 }),
    nextTryAt: now + 1,
    error: 'Too fast',
    errorCode: 131056,
    calls: { 1: { ...called, traceId: 'A1' } },
  };
  const givenUp = aDelivery(someId, {
    ...attempted,
    id: givenUpId,
    messageId: otherId,
    state: 'failed',
    keptSince: now,
    keptBytes: 1,
  });
  const received = aDelivery(someId, {
    ...of,
    id: makeDeliveryId(someId, ids.received, 'message.received'),
    event: 'message.received',
    messageId: ids.received,
    messageType: 'text',
    upstreamId: 'wamid.1',
    state: 'delivered',
    payload: null,
    createdAt: now,
  });
  await channelState.commit(someId, 3, [
    { write: 'insertMessage', message },
    { write: 'insertDelivery', delivery: givenUp },
    { write: 'insertDelivery', delivery: received },
  ]);
  const asked = { since: 0, until: now, events: null, total: 9, createdAt: now, openSince: now };
  await stores.replays.begin({ id: otherId, channelId: someId, accountId, ...asked }, 20);
  const refused = {
    status: 400,
    isFailed: true,
    code: 'invalid_recipient',
    requestId: 'abc',
    createdAt: now,
  };
  const route = '/api/v1/messages/send';
  await stores.requestLog.add([
    aRequest(accountId, { ...refused, apiKeyId, method: 'POST', route }),
    aRequest(accountId, { createdAt: now - 1, leftOut: { succeeded: 7, failed: 2 } }),
  ]);
}

/** A disabled endpoint of the channel. */
async function openEndpoint({ stores }: House, { id: channelId, accountId }: Channel): Promise<void> {
  const of = { id: ids.endpoint, accountId, channelId };
  await stores.channels.noteEndpoints(channelId, accountId);
  await stores.endpoints.add(anEndpoint({ ...of, disabledAt: now, createdAt: now - 9 }));
}

export const templateTexts = [
  { type: 'BODY', text: 'Dear {{1}}, it is ready.', example: { body_text: [['Mia']] } },
  { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', example: 'SPRING' }] },
];

/** A rejected template, and one that can be sent; upstream has both. */
async function openTemplates({ stores, upstreamTemplates }: House): Promise<void> {
  const of = { accountId: caller.accountId, businessAccountId: '311200000000001', language: 'en_US' };
  const rejected = {
    status: 'REJECTED',
    rejectedReason: 'SCAM',
    quality: 'GREEN',
    components: templateTexts,
  };
  const positional = { ...of, parameterFormat: 'positional', createdAt: now - 2 * dayMs } as const;
  const all: Template[] = [
    aTemplate({
      ...positional,
      ...rejected,
      id: otherId,
      upstreamId: '900000000000091',
      syncedAt: now - dayMs,
    }),
    aTemplate({
      ...positional,
      upstreamId: '900000000000092',
      name: 'hello',
      status: 'APPROVED',
      components: [{ type: 'BODY', text: 'Hello.' }],
      createdAt: now - dayMs,
    }),
  ];
  for (const template of all) await stores.templates.put(template, now - dayMs);
  upstreamTemplates.listed.set(of.businessAccountId, all);
}

/** An account that has one of each, for operators to look at; mails and an entry of the audit log are its own. */
async function openLean(house: House): Promise<void> {
  const { stores } = house;
  const accountId = ids.lean;
  await stores.accounts.create(
    anAccount({ id: accountId, email: 'mia@example.com', name: null, createdAt: now }),
    aKey(accountId, { id: ids.leanKey, hint: 'mip_live_ab', lastFour: null, name: null, createdAt: now }),
    aSubscription(accountId, { id: ids.leanLicence, startsAt: now, expiresAt: now + dayMs, createdAt: now }),
  );
  await stores.keys.insert(aKey(accountId, { id: ids.spareKey, createdAt: now - 1 }), 50);
  const mia = { accountId, role: 'owner', email: 'mia@example.com', createdAt: now - dayMs } as const;
  await stores.people.insert(aPerson({ ...mia, id: ids.mia }));
  const invited = { id: ids.invited, email: 'guest@example.com', passwordHash: null, confirmedAt: null };
  await stores.people.insert(aPerson({ accountId, role: 'viewer', createdAt: now, ...invited }));
  await stores.subscriptions.insert(
    aSubscription(accountId, {
      id: ids.endless,
      source: 'enterprise',
      expiresAt: now + 1,
      createdAt: now - 1,
      startsAt: now,
    }),
  );
  const mail = aMail({ accountId, sendAfter: now, createdAt: now });
  for (const id of ['mail-1', 'mail-2', 'mail-3']) await stores.mails.add({ ...mail, id });
  await stores.mails.markSent('mail-2', now);
  await stores.mails.giveUp('mail-3', now, 'refused');
  await stores.audit.add(
    anAuditEntry({
      id: otherId,
      accountId,
      actor: 'key',
      actorName: someId,
      subject: someId,
      requestId: 'r-1',
      createdAt: now,
    }),
  );
}

async function openQuarantine({ stores, world }: House, channel: Channel): Promise<void> {
  const event = { event: 'message.received', messageId: otherId, requestId: null, body: '{}' } as const;
  for (const id of ['drop', 'retry'])
    await quarantine(world, { kind: 'delivery', channel, ownerId: channel.id, id, tries: 3, ...event });
  await stores.quarantine.add([
    {
      id: someId,
      reason: 'unknown',
      channelType: 'chatapp',
      channelId: otherId,
      accountId: caller.accountId,
      identity: '422300000000002',
      kind: 'messages',
      shape: '{status: "teleported"}',
      times: 3,
      createdAt: now,
      lastSeenAt: now + 1,
      sealed: null,
    },
  ]);
}
