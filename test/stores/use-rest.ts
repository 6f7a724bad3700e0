/** The methods of the stores that a request or a job calls now and then: reads by id, and writes of people and operators. */
import { newId } from '../../src/kernel/ids.ts';
import { chatappProfile } from '../support/profiles.ts';
import {
  aKey,
  aMail,
  anAccount,
  aPass,
  aPerson,
  aReservation,
  aSession,
  aSubscription,
  aTemplate,
  noon,
  sealedBytes,
  sealedText,
} from './conformance/samples.ts';
import type { OpenStore } from './conformance/store.ts';

type Stores = OpenStore['stores'];

export async function useRest(stores: Stores): Promise<void> {
  await useAccounts(stores);
  await useLicences(stores);
  await useChannels(stores);
  await useSetAside(stores);
  const template = aTemplate();
  await stores.templates.put(template, noon);
  await stores.templates.byId(template, template.id);
  const { status, category, components } = template;
  await stores.templates.edited(template, template.id, { status, category, components }, noon);
  await stores.templates.sync(template);
  await stores.templateLimits.lastUse('key');
}

async function useAccounts({
  accounts,
  keys,
  people,
  passes,
  redirects,
  setupSessions,
  mails,
}: Stores): Promise<void> {
  const account = anAccount();
  await accounts.create(account, null, aSubscription(account.id));
  await accounts.byId(account.id);
  const key = aKey(account.id);
  await keys.insert(key, 5);
  await keys.ending({ after: { endsAt: 0, id: '' }, until: noon, limit: 10 });
  await keys.noteUsed([{ keyId: key.id, at: noon }]);
  await keys.renameMaker(key.accountId, 'mia@example.com', 'eva@example.com');
  await keys.revoke(key.id, noon);
  await redirects.remove(newId(), key.id);
  const person = aPerson();
  await people.insert(person);
  await people.byId(person.id);
  await people.withStep({ stepSince: 0, id: '' }, 10);
  await passes.insert(aPass({ personId: person.id }));
  const session = aSession();
  await setupSessions.insert(session);
  await setupSessions.open(session.id, session.tokenHash, noon);
  const mail = aMail({ accountId: account.id, recipient: account.email });
  await mails.add(mail);
  await mails.markSent(mail.id, noon);
  await mails.giveUp(newId(), noon, 'refused');
}

async function useLicences({ subscriptions }: Stores): Promise<void> {
  const subscription = aSubscription(newId());
  await subscriptions.insert(subscription);
  await subscriptions.byId(subscription.id);
  await subscriptions.update(subscription.id, { autoRenew: true });
  const event = {
    eventId: 'evt',
    at: noon,
    change: 'created',
    externalId: newId(),
    accountId: newId(),
  } as const;
  const terms = { status: 'active', tier: 'pro', startsAt: noon, expiresAt: noon, renews: true } as const;
  await subscriptions.bill({ ...event, ...terms, endsWithPeriod: false }, noon);
}

async function useChannels({ channels, health }: Stores): Promise<void> {
  const reservation = aReservation();
  const { channelId, accountId, codeHash: hash } = reservation;
  await channels.reserve(reservation, noon);
  await channels.dropExpiredReservations(noon);
  await channels.exchange({ hash, accountId }, noon, () => ({ echoStatuses: true }));
  await channels.inAccount(channelId, accountId);
  const channel = await channels.byId(channelId);
  if (channel === null) throw new Error('the channel was not stored');
  await channels.updateWebhook({ id: channelId, accountId }, { webhookUrl: null }, sealedText('secret'));
  await channels.activeOn('1', 5);
  await channels.activeOn('1', 5, accountId);
  await channels.secretsAfter('', 5);
  await channels.replaceSecrets(channel, channel);
  await channels.renewProfile(channel, chatappProfile());
  await channels.deactivate(channelId, accountId);
  await channels.releaseClaim(channelId);
  await health.noteActivity([{ channelId, inboundAt: noon }]);
}

async function useSetAside({ strandedFacts, quarantine, replays, deliveryLog }: Stores): Promise<void> {
  const [id, channelId, accountId] = [newId(), newId(), newId()];
  const stranded = { id, channelId, facts: sealedBytes('[]'), at: noon, nodesGone: 0 };
  await strandedFacts.add([stranded]);
  await strandedFacts.countGone(stranded, 1);
  await strandedFacts.putAside([stranded], noon);
  await strandedFacts.drop([id]);
  const item = {
    id,
    reason: 'malformed',
    channelType: 'chatapp',
    channelId,
    accountId,
    identity: '1',
  } as const;
  const seen = { times: 1, lastSeenAt: noon, createdAt: noon, sealed: null };
  await quarantine.add([{ ...item, ...seen, kind: 'messages', shape: '{}' }]);
  await quarantine.find(id);
  await quarantine.drop(id);
  await replays.open(channelId);
  await deliveryLog.among({ accountId, channelId, ids: [newId()] });
  await deliveryLog.among({ accountId, channelId: null, ids: [newId()] });
}
