import type { Stores } from '../../src/features/stores.ts';
import { aPersonName } from './conformance/person-names.ts';
import type { Write } from '../../src/storage/journal/writes.ts';
import { newId } from '../../src/kernel/ids.ts';
import { accepted } from './conformance/certain.ts';
import {
  aDelivery,
  aDeliveryHour,
  aHeldFact,
  aKey,
  aMessage,
  anAuditEntry,
  aPerson,
  aRedirect,
  aRequest,
  aReservation,
  aSubscription,
  aTemplate,
  anAccount,
  aTest,
  aTranscript,
  noon,
  sealedText,
} from './conformance/samples.ts';
import { anEndpoint } from './conformance/endpoints.ts';
import { anUpload } from './conformance/uploads.ts';
import type { OpenStore } from './conformance/store.ts';
import { useRest } from './use-rest.ts';
import { useWrites } from './use-writes.ts';

/** Calls every method and makes every write, so that every query is made. `use-all.test.ts` shows that none is missing. */
export async function useAll({
  stores,
  channelState,
}: Pick<OpenStore, 'stores' | 'channelState'>): Promise<void> {
  const account = anAccount();
  const key = aKey(account.id);
  const page = { limit: 2, cursor: { createdAt: noon, id: newId() } };
  await stores.accounts.create(account, key, aSubscription(account.id, { externalId: 'ext' }));
  await stores.keys.activeByHash(key.hash);
  await stores.accounts.byEmail(account.email);
  await stores.accounts.page(page);
  await stores.accountWords.add([{ accountId: account.id, word: 'ada' }]);
  await stores.accountWords.beginning('ad', 10);
  await stores.accountWords.noteComplete();
  await stores.accountWords.isComplete();
  const left = anAccount();
  await stores.accounts.create(left, null, aSubscription(left.id));
  await stores.accounts.dropUnconfirmed(left);
  await stores.accounts.madeIn({ from: noon, below: noon + 1 }, page);
  await stores.accounts.suspend(newId(), noon, null);
  await stores.accounts.note(newId(), null);
  await stores.channels.countOf(newId());
  await stores.channels.ids(newId(), 2);
  await stores.channels.heldSlots(newId(), page);
  await stores.subscriptions.countOf(newId());
  await stores.appNotes.put({ id: 'webhooks', at: noon, said: null });
  await stores.appNotes.of(['webhooks']);
  await stores.uploads.add(anUpload({ accountId: account.id }));
  await stores.uploads.find({ id: newId(), channelId: newId(), accountId: account.id });
  await stores.uploads.dropExpired(noon);
  await stores.keys.list(account.id);
  await stores.keys.page(account.id, page);
  await stores.keys.inAccount(key.id, account.id);
  await stores.people.insert(aPerson());
  await stores.people.byEmail(account.email);
  await stores.people.setPassword(aPerson(), { passwordHash: null, passwordVersion: newId() });
  await stores.people.confirm(account, account.email, noon);
  const member = aPerson({ accountId: account.id });
  await stores.people.invite(member, 50);
  await stores.people.ofAccount(account.id);
  await stores.people.join(member.id, { ...member, email: `${newId()}@example.com` }, noon);
  await stores.people.setRole(member, 'viewer');
  await stores.people.chooseMails(member.id, []);
  await stores.people.beginStep(member.id, {
    stepSecret: sealedText('secret'),
    stepUsed: 1,
    stepSince: noon,
  });
  await stores.people.useStep(member.id, 2);
  await stores.people.resealStep(member.id, sealedText('secret'), sealedText('anew'));
  await stores.people.endStep(member.id);
  await stores.people.noteSeen(member.id, noon);
  await stores.people.noteLook(member.id, { homeSeenAt: noon, homeSince: null });
  await stores.people.remove(member);
  await stores.passes.find(newId(), 'session', noon);
  await stores.passes.take(newId(), 'reset', noon);
  await stores.passes.takeOf(newId(), newId(), 'session', noon);
  await stores.passes.noteSeen(newId(), noon);
  await stores.passes.list(newId(), 'session', noon);
  await stores.passes.keepNewest(newId(), 'session', 20);
  await stores.passes.dropForPerson(newId());
  await stores.passes.dropExpired(noon);
  await useEndpoints(stores, account.id);
  await stores.defaultWebhooks.of(account.id);
  await stores.defaultWebhooks.after('', 5);
  await stores.defaultWebhooks.replaceSecret(account.id, sealedText('a'), sealedText('b'));
  await stores.defaultWebhooks.change(account.id, () => ({ webhookUrl: 'https://a.example' }));
  await stores.redirects.add(aRedirect(account.id, key.id), 3);
  await stores.redirects.list(key.id, page);
  await stores.redirects.removeAll(newId());
  await stores.subscriptions.list(account.id);
  await stores.subscriptions.byExternalId('ext');
  await stores.health.failing(10);
  await stores.health.refused(10);
  await stores.health.troubled(10);
  await stores.health.failingAmong([newId()]);
  await stores.subscriptions.ending({
    source: 'trial',
    after: { expiresAt: 0, id: '' },
    until: noon,
    limit: 10,
  });
  await stores.subscriptions.lapse(newId(), noon);
  await stores.setupSessions.finish(newId(), 'token', noon);
  await stores.setupSessions.known(newId(), 'token', noon);
  await stores.setupSessions.noteEnding({ id: newId(), finishedAt: noon }, sealedText('ending'));
  await stores.setupSessions.reopen({ id: newId(), finishedAt: noon });
  await stores.setupSessions.unfinished(newId(), noon, 3);
  await stores.setupSessions.dropExpired(noon);
  await stores.idempotency.forget({ accountId: account.id, key: 'key', messageId: newId() });
  await stores.idempotency.dropOlder(noon);
  await stores.mails.list(null, page);
  await stores.mails.list(account.id, page);
  await stores.mails.addressTo('no-such-mail', 'ada@example.com');
  await stores.mails.due(noon, 5);
  await stores.mails.unsent('no-such-mail');
  await stores.mails.dropLinks(noon);
  await stores.mails.dropOlder(noon, 'reconnect');
  await stores.mails.postpone('no-such-mail', noon);
  await stores.quarantine.list(page);
  await stores.quarantine.trim(1, noon);
  await stores.audit.add(anAuditEntry());
  await stores.audit.list({}, page);
  await stores.audit.list({ accountId: account.id, actor: 'key' }, page);
  await stores.audit.list({ action: 'key.created', since: noon }, page);
  await stores.audit.list({ actor: 'key', until: noon }, page);
  await stores.audit.list({ accountId: account.id, actor: 'key', action: 'key.created', since: noon }, page);
  await stores.audit.listTwoWay({ accountId: account.id }, { ...page, isBack: true });
  await stores.audit.accountsAfter('', 2);
  await stores.audit.keepNewest({ accountId: account.id, actor: 'key' }, 1);
  await stores.audit.dropOlder(noon);
  await stores.keys.byId(key.id);
  const reservation = aReservation({ accountId: account.id });
  const { channelId, codeHash: hash, accountId } = reservation;
  await stores.channels.reserve(reservation, noon);
  await stores.channels.reservedBy({ hash, accountId }, noon);
  await stores.channels.reservedSlots(accountId, noon);
  await stores.channels.exchange({ hash, accountId }, noon, () => ({ echoStatuses: true }));
  await stores.channels.list(accountId, page);
  await stores.channels.names(accountId, page);
  await stores.channels.firstOfKind(accountId, { channelType: 'chatapp', isActive: true });
  await stores.channels.onLicences(accountId, [newId()]);
  await stores.channels.slotsOf(accountId, [newId()]);
  await stores.channels.withoutLicence(accountId, 10);
  await stores.subscriptions.withStatus(accountId, 'expired', 10);
  const intended = { kind: 'reload', subject: channelId } as const;
  await stores.followUps.intend([intended], { dueAt: noon, since: noon });
  await stores.followUps.of(intended);
  for (const each of await stores.followUps.due(noon, 10)) {
    await stores.followUps.later(each, noon);
    await stores.followUps.done(each);
  }
  await stores.channelWords.add([{ accountId, word: 'shop', channelId }]);
  await stores.channelWords.beginning(accountId, 'sh', 10);
  await stores.channelWords.noteComplete();
  await stores.channelWords.isComplete();
  await stores.deliveryLog.channelOf(accountId, newId());
  await stores.subscriptions.page(accountId, page);
  await stores.subscriptions.endingOf(accountId, noon, 10);
  await stores.channels.among(accountId, [channelId, newId()]);
  await stores.channels.byIdentity('chatapp', ['1', '2']);
  await stores.channels.findClaimant('chatapp', '1');
  await stores.channels.countActiveOn('1');
  await stores.channels.isReservedOn('1', noon);
  await stores.channels.activeAfter('1', 2);
  await stores.health.of(channelId);
  await stores.health.ofAll([channelId]);
  await stores.health.noteUpstream(
    channelId,
    { token: 'refused', isSubscribed: null, qualityRating: null },
    noon,
  );
  await stores.channels.noteSendPause(channelId, { sendsPausedAt: noon });
  await stores.channels.replaceToken({ id: channelId, token: null }, { token: null, tokenExpiresAt: noon });
  await stores.health.ailing(accountId, 5);
  await stores.health.failingOf(accountId, 5);
  await stores.health.noteAccount({ id: channelId, accountId });
  await stores.health.forgetAccount(channelId);
  await stores.subscriptions.among(accountId, [newId()]);
  await stores.health.noteProblem(channelId, { code: 'access_removed' }, noon);
  await stores.health.claimRegistration(channelId, noon);
  await stores.health.clearProblems(channelId, 'all', noon);
  await stores.health.untold(noon, 5);
  await stores.health.told(channelId, new Set([newId()]));
  await stores.health.tellLater(channelId, noon);
  await stores.channels.accountsOn('1');
  await useTemplates(stores);
  await stores.channels.bind(channelId, null);
  await stores.dueWork.channelsWithDueWork(noon, 10);
  await stores.dueWork.channelsWithUntakenSends(10);
  await stores.dueWork.serverTime();
  await stores.dueWork.dropFinished(noon);
  await stores.strandedFacts.channels('', 10);
  await stores.strandedFacts.ofChannel(channelId, 10);
  await stores.strandedFacts.bringBack(noon);
  await useMedia(stores);
  const message = aMessage(channelId);
  const writes: Write[] = [
    { write: 'insertMessage', message },
    { write: 'insertDelivery', delivery: aDelivery(channelId) },
    { write: 'keepWaiting', unmatched: aHeldFact() },
  ];
  await channelState.commit(channelId, 1, writes);
  await channelState.commit(channelId, 1, [
    { write: 'insertDelivery', delivery: aDelivery(channelId) },
    accepted(message.id),
  ]);
  await channelState.load(channelId, 2, noon, 5);
  await channelState.settings(channelId);
  await channelState.findMessages(channelId, { ids: [message.id], upstreamIds: ['up'] });
  await channelState.findBelowRank(channelId, { recipient: 'r', belowRank: 3, upTo: noon, limit: 5 });
  await channelState.pendingDeliveries(channelId, 5);
  await channelState.pendingDeliveries(channelId, 5, true);
  await channelState.pendingInbound(channelId, 0, 5);
  await channelState.deliveryPayload(channelId, newId());
  await channelState.findDeliveries(channelId, [newId()]);
  await channelState.keptBytes(channelId);
  await useKept(stores, channelState, channelId);
  const log = { accountId, channelId, since: 0, event: null, page };
  await stores.deliveryLog.list({ ...log, state: null });
  await stores.deliveryLog.list({ ...log, state: 'failed' });
  await stores.deliveryLog.list({ ...log, state: null, page: { limit: 2, cursor: null } });
  const pages = { ...log, until: noon + 1, lookAt: 5 } as const;
  for (const isBack of [false, true])
    for (const state of [null, 'failed'] as const)
      for (const where of [pages, { ...pages, channelId: null }])
        await stores.deliveryLog.list({ ...where, state, page: { ...page, isBack } });
  await stores.deliveryLog.keptAfter(accountId, page.cursor, 5);
  await stores.deliveryLog.whole({ accountId, channelId, id: newId() });
  await stores.deliveryLog.addTest(aTest(channelId));
  await stores.deliveryLog.find({ accountId, channelId, id: newId() });
  await stores.deliveryLog.after({ accountId, channelId, place: { createdAt: noon, id: newId() }, limit: 2 });
  for (const which of [{ channelId }, { person: 'somebody' }, { channelId, person: 'somebody' }, {}]) {
    const asked = {
      accountId,
      channelId: null,
      person: null,
      since: 0,
      before: page.cursor,
      limit: 2,
      ...which,
    };
    await stores.messageList.sent(asked);
    await stores.messageList.delivered(asked);
    await stores.messageList.people(accountId, '49', 2);
  }
  await stores.personNames.put([aPersonName(accountId)]);
  await stores.personNames.beside(accountId, 'number', 5);
  await stores.personNames.trim(1, noon + 1);
  await stores.requestLog.add([aRequest(accountId)]);
  await stores.requestLog.list(accountId, { since: 0, status: 422, route: '/' }, page);
  await stores.requestLog.list(accountId, { since: 0, isFailed: true, requestId: 'id' }, page);
  await stores.requestLog.trim(1, noon + 1);
  const transcript = aTranscript();
  await stores.transcripts.add([transcript]);
  await stores.transcripts.ofDelivery(transcript, 5);
  await stores.transcripts.trim(1, noon + 1);
  await stores.messageList.among(accountId, [newId()]);
  await stores.referred.sent({ id: newId(), accountId }, newId());
  await stores.referred.loggedOwners(newId());
  await stores.referred.delivered({ ownerId: newId(), accountId }, newId());
  await stores.deliveryLog.timesSince({ channelId, since: noon, limit: 3 });
  await stores.deliveryLog.countBetween({ channelId, from: noon, below: noon + 1, limit: 3 });
  await stores.deliveryLog.countPending({ channelIds: [channelId, newId()], limit: 2 });
  await stores.deliveryHours.add([aDeliveryHour(accountId)]);
  await stores.deliveryHours.since(accountId, noon);
  await stores.deliveryHours.givenUpOfAll(noon, 10);
  await stores.deliveryHours.dropOlder(noon);
  await useRest(stores);
  await useWrites({ stores, channelState });
}

async function useKept(
  { keptDeliveries, replays }: OpenStore['stores'],
  channelState: OpenStore['channelState'],
  channelId: string,
): Promise<void> {
  const delivery = aDelivery(channelId);
  const made = { attempts: 8, firstTriedAt: noon, nextDueAt: noon, lastResult: '503', attemptLog: null };
  const attempt = { ...made, state: 'failed', kept: { keptSince: noon, keptBytes: 1 } } as const;
  await channelState.commit(channelId, 2, [{ write: 'insertDelivery', delivery }]);
  await channelState.commit(channelId, 2, [{ write: 'recordAttempt', deliveryId: delivery.id, attempt }]);
  const which = { since: 0, until: noon, events: null };
  await channelState.keptDeliveries(channelId, { ...which, after: { createdAt: 0, id: '' }, limit: 5 });
  await keptDeliveries.count(channelId, which);
  await keptDeliveries.channels('', 5);
  const revive = { write: 'reviveDelivery', deliveryId: delivery.id, keptSince: 0, at: noon } as const;
  await channelState.commit(channelId, 2, [revive]);
  const ids = { id: newId(), channelId, accountId: newId() };
  await replays.begin({ ...ids, ...which, total: 1, createdAt: noon, openSince: noon }, 20);
  await replays.allOpen(channelId, 5);
  await replays.latest(ids);
  await replays.channels('', 5);
  await replays.recent(ids.accountId, noon, 5);
  await replays.end(ids.id);
  await replays.dropOlder({ ended: noon, open: noon });
  await keptDeliveries.erase(channelId, noon);
  await keptDeliveries.sweep(channelId, noon);
}

async function useMedia({ media }: OpenStore['stores']): Promise<void> {
  const draft = { id: newId(), accountId: newId(), channelId: newId(), createdAt: noon, expiresAt: noon };
  const facts = { mimeType: 'a/b', fileSize: 1, filename: null, expiresAt: noon };
  const sink = await media.create(draft);
  await sink.write(Buffer.from('a'));
  await sink.finish(facts);
  await media.find(draft.id, draft.accountId);
  for await (const _ of media.read({ ...draft, ...facts }));
  await media.bytesOf(draft.channelId, draft.accountId);
  await media.freeBytes();
  await media.dropExpired(noon, noon);
}

async function useTemplates({ templates, templateLimits }: OpenStore['stores']): Promise<void> {
  const template = aTemplate();
  const change = { businessAccountId: '1', upstreamId: '2', at: noon, change: { quality: 'RED' } };
  for (const _ of [1, 2]) await templates.put(template, noon);
  await templates.list(template, 'APPROVED', { limit: 2, cursor: { createdAt: noon, id: newId() } });
  await templates.byName(template, 'a_name');
  await templates.names(template.accountId, 5);
  await templates.apply(change, noon);
  await templates.apply({ ...change, change: { status: 'DELETED', reason: null } }, noon);
  await templates.remove(template, [template.id], noon);
  await templates.dropRemoved(noon);
  await templates.synced(template, { changed: [template], goneIds: [newId()] }, noon, noon);
  await templates.askForSync(template, noon);
  await templates.forgetSync(template, { at: noon, before: await templates.intendSync(template, noon) });
  await templates.syncFailed({ ...template, dueAt: noon }, noon);
  await templates.dueSyncs({ from: 1, upTo: noon }, 5);
  await templates.untold(noon, 5);
  await templates.told(template.id, new Set([newId()]));
  await templates.tellLater(template.id, noon);
  await templateLimits.take('key', { id: newId(), at: noon }, []);
  await templateLimits.giveBack('key', newId());
  await templateLimits.dropOlder(noon);
}

async function useEndpoints({ endpoints, channels, health }: Stores, accountId: string): Promise<void> {
  const channelId = newId();
  const endpoint = anEndpoint({ channelId, accountId });
  await channels.noteEndpoints(channelId, accountId);
  await endpoints.add(endpoint);
  await endpoints.ofChannel(channelId);
  await endpoints.find(endpoint);
  await endpoints.among(accountId, [endpoint.id]);
  await endpoints.ofOwner(endpoint.id, channelId);
  await endpoints.someAfter('', 5);
  await endpoints.change(endpoint, () => ({ disabledAt: null }));
  await endpoints.remove(endpoint);
  await health.failingUntil(noon, 5, { failingSince: 1, channelId });
  await health.forgetFailing(channelId);
  await health.forget(channelId);
}
