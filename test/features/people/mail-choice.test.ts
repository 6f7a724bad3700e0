/** Each person chooses what to be mailed about. [faults: 394] */
import { expect, test } from '@jest/globals';
import { chooseMails, readMailChoice } from '../../../src/features/people/mail-choice.ts';
import { listPeople } from '../../../src/features/people/members.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { invitationTokenFor, password, signedUp } from '../support/people.ts';
import { refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

test('the owner of the account’s address has all before a choice, a colleague nothing; the list says so', async () => {
  const { world, features, stores } = service;
  const owner = await signedUp(service, 'chooser@example.com');
  const { id } = await features.invite(owner, { email: 'colleague@example.com', role: 'viewer' });
  const listed = async () => (await listPeople(world, owner.caller)).map(({ mailTopics }) => mailTopics);
  expect(await listed()).toEqual([['failures', 'licences'], []]);
  const token = await invitationTokenFor(service, id);
  const joined = await features.acceptInvitation({ token, password });
  const colleague = await features.visitor(joined?.secret ?? '');
  if (colleague === null) throw new Error('has not joined');
  await chooseMails(world, colleague, ['failures']);
  await chooseMails(world, owner, []);
  expect(await listed()).toEqual([[], ['failures']]);
  expect(await readMailChoice(world, colleague)).toEqual(['failures']);
  const { items } = await stores.audit.list({ accountId: owner.caller.accountId }, everything);
  const changes = items.filter(({ action }) => action === 'person.mails-chosen');
  expect(changes.map(({ before, after }) => [before, after])).toEqual([
    [{ mails: 'failures licences' }, { mails: '' }],
    [{ mails: '' }, { mails: 'failures' }],
  ]);
});

test('there is no such topic as security: what concerns the sign-in cannot be chosen', async () => {
  const owner = await signedUp(service, 'no-topic@example.com');
  for (const topic of ['security', 'portal-reset', ''])
    expect((await refusalOf(chooseMails(service.world, owner, [topic]))).status).toBe(422);
  expect(await readMailChoice(service.world, owner)).toEqual(['failures', 'licences']);
});
