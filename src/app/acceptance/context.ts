/** What the platform tells of a message beside its content: names of members, never their values. */
import { asRecord, type Json } from '../../kernel/json.ts';
import { dataOf, isReceived, record, skip, type Run } from './run.ts';

/** What a person can do that a message then tells, by the name of its question. */
const asked = [
  ['quote', 'a message that answers another', 'On the phone, answer one of your own messages by quoting it.'],
  ['ad', 'a message that comes from an ad', 'Write to the channel through an ad or a link of the business.'],
] as const;

const members = [
  'from_user_id',
  'from_username',
  'reply_to',
  'referral',
  'button',
  'content',
  'unsupported_reason',
];

export async function receiveContext(run: Run): Promise<void> {
  for (const [name, step, what] of asked) {
    const before = run.feed.count();
    const answer = await run.person.ask({ name, text: `${what} Then press Enter (or type "skip").` });
    if (answer === 'skip') skip(run, step);
    else {
      const event = await run.feed.after(before, isReceived, run.patienceMs);
      record(run, step, null, event === null ? 'nothing came' : membersOf(dataOf(event)));
    }
  }
}

function membersOf(data: Json): string {
  const found = members
    .filter((name) => data[name] !== undefined)
    .map((name) => withMembers(name, data[name]));
  return found.length === 0 ? 'no further members' : found.join(', ');
}

function withMembers(name: string, value: unknown): string {
  const inside = asRecord(value);
  return inside === null ? name : `${name} (${Object.keys(inside).join(' ')})`;
}
