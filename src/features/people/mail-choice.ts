/** What a person is mailed about. */
import { isMailTopic, mailTopics, topicsOf } from '../../rules/mails/topics.ts';
import type { MailTopic } from '../../rules/mails/topics.ts';
import type { Person, Visitor } from '../../rules/person.ts';
import { fault, fieldFault } from '../../kernel/faults.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import { shownOf } from './snapshot.ts';

export async function readMailChoice({ stores }: World, by: Visitor): Promise<readonly MailTopic[]> {
  const account = await stores.accounts.byId(by.caller.accountId);
  const person = await stores.people.byId(by.personId);
  if (account === null || person === null) throw fault('not_found', { what: 'Person' });
  return topicsOf(person, account);
}

/** Takes effect for mails that are not sent yet. Throws 422 `validation`. */
export async function chooseMails(world: World, by: Visitor, chosen: readonly string[]): Promise<void> {
  const topics = mailTopics.filter((topic) => chosen.includes(topic));
  if (!chosen.every(isMailTopic)) throw fieldFault(['body', 'topic'], 'Choose some of these.');
  const account = await world.stores.accounts.byId(by.caller.accountId);
  const both = await world.stores.people.chooseMails(by.personId, topics);
  if (account === null || both === null) throw fault('not_found', { what: 'Person' });
  const shown = (person: Person) => shownOf(person, { mails: topicsOf(person, account).join(' ') });
  await audit(world, by.caller.by, 'person.mails-chosen', shown(both.before), shown(both.after));
}
