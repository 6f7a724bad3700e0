/** An account of which every list has as much as it may have, or more than a page of it shows; operators see it too. */
import { hashSecret, newId } from '../../src/kernel/ids.ts';
import { dayMs } from '../../src/kernel/clock.ts';
import { makeDeliveryId } from '../../src/rules/events/built.ts';
import { ownerOf } from '../../src/rules/webhooks/endpoints.ts';
import { connectMany } from '../features/support/many-channels.ts';
import { givenUpId, ids, openAnswers } from '../http/answers-world.ts';
import type { House } from '../http/house.ts';
import { caller, licenceId, now, otherId, ownerId, session, someId } from '../http/support.ts';
import {
  aDelivery,
  aKey,
  aMail,
  aMessage,
  anAccount,
  anAuditEntry,
  aPass,
  aPerson,
  aRedirect,
  aRequest,
  aSubscription,
  aTemplate,
} from '../stores/conformance/samples.ts';

const { accountId, apiKeyId } = caller;

/** More than any page shows. */
const many = 60;
/** As many people and keys as an account may have, and sessions as a person may have: there are one or two of each already. */
const mostPeople = 49;
const mostKeys = 48;
const mostSessions = 19;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

/** By the name of a parameter in a path: what the account has one of. */
export const idsOfPages: Readonly<Record<string, string>> = {
  channel_id: someId,
  message_id: otherId,
  delivery_id: givenUpId,
  endpoint_id: ids.endpoint,
  template_id: otherId,
  key_id: apiKeyId,
  redirect_id: someId,
  person_id: ownerId,
  session_id: hashSecret(session),
  account_id: accountId,
  subscription_id: licenceId,
  item_id: someId,
  mail_id: 'mail-1',
  node_id: 'n1',
};

export async function fillLists(): Promise<House> {
  const house = await openAnswers();
  const webhookEvents = ['message.received'];
  await connectMany(house, many, { webhookUrl: 'https://receiver.example/hooks', webhookEvents });
  await fillAccount(house);
  await fillBuilt(house);
  await fillLogs(house);
  await fillJournal(house);
  return house;
}

async function fillAccount({ stores }: House): Promise<void> {
  for (const n of numbers(mostPeople)) {
    const email = `somebody.of.the.house.${n}@example.com`;
    await stores.people.insert(aPerson({ accountId, role: 'developer', email, createdAt: now + n }));
  }
  for (const n of numbers(mostKeys)) {
    const used = { madeBy: ownerId, lastUsedAt: now, lastUsedFrom: '192.0.2.1' };
    const key = aKey(accountId, { name: `Shop number ${n}`, createdAt: now + n, ...used });
    await stores.keys.insert(key, many);
  }
  const pass = { personId: ownerId, passwordVersion: 'first', createdAt: now, expiresAt: now + dayMs };
  for (const _ of numbers(mostSessions)) await stores.passes.insert(aPass(pass));
}

async function fillBuilt({ stores, upstreamTemplates }: House): Promise<void> {
  const businessAccountId = '311200000000001';
  const of = { accountId, businessAccountId, status: 'APPROVED', createdAt: now };
  const templates = numbers(many).map((n) =>
    aTemplate({ ...of, upstreamId: `9${n}`, name: `order_ready_${n}` }),
  );
  for (const template of templates) await stores.templates.put(template, now);
  upstreamTemplates.listed.set(businessAccountId, templates);
  for (const n of numbers(many))
    await stores.redirects.add(
      aRedirect(accountId, apiKeyId, { uriPattern: `https://*.app-${n}.example.com/*` }),
      many,
    );
}

async function fillLogs({ stores }: House): Promise<void> {
  const refused = { status: 400, isFailed: true, code: 'invalid_recipient', method: 'POST', apiKeyId };
  const route = '/api/v1/messages/send';
  await stores.requestLog.add(
    numbers(many).map((n) => aRequest(accountId, { ...refused, route, createdAt: now + n })),
  );
  const subject = 'Deliveries to your receiver have failed';
  const mail = { accountId, subject, lines: ['one', 'two'], sendAfter: now };
  for (const n of numbers(many)) {
    await stores.audit.add(anAuditEntry({ accountId, createdAt: now + n }));
    await stores.mails.add(aMail({ ...mail, createdAt: now + n }));
    const account = anAccount({ email: `account.of.somebody.${n}@example.com` });
    await stores.accounts.create(account, aKey(account.id), aSubscription(account.id, { expiresAt: null }));
  }
}

const endpointOwner = ownerOf(someId, ids.endpoint);

async function fillJournal({ channelState }: House): Promise<void> {
  const attemptLog = numbers(8)
    .map((n) => `${now + n} 12 500 status`)
    .join(';');
  const failed = { state: 'failed', attempts: 8, attemptLog, lastResult: '500' } as const;
  const kept = { keptSince: now, keptBytes: 1, epoch: 3 };
  const writes = numbers(many).flatMap((n) => {
    const messageId = newId();
    const of = { accountId, createdAt: now + n };
    const id = makeDeliveryId(someId, messageId, 'message.delivered');
    const message = aMessage(someId, { id: messageId, ...of, state: 'sent', epoch: 3 });
    const delivery = aDelivery(someId, { ...of, id, messageId, ...failed, ...kept });
    const ofEndpoint = { channelId: endpointOwner, id: newId(), createdAt: now + many + n };
    return [
      { write: 'insertMessage' as const, message },
      { write: 'insertDelivery' as const, delivery },
      // The newest of all: each row of the list names its endpoint.
      { write: 'insertCopy' as const, delivery: { ...delivery, ...ofEndpoint } },
    ];
  });
  await channelState.commit(someId, 3, writes);
}
