/** What the people of an account are mailed about, each as they chose. Mails about a person's own sign-in have no topic: they always come. */
export const mailTopics = ['failures', 'licences'] as const;

export type MailTopic = (typeof mailTopics)[number];

const topics: Readonly<Record<string, MailTopic>> = {
  'webhook-warning': 'failures',
  'webhook-alert': 'failures',
  'webhook-recovered': 'failures',
  'endpoint-disabled': 'failures',
  'delivery-digest': 'failures',
  'channel-problem': 'failures',
  reconnect: 'failures',
  'key-ending': 'failures',
  'trial-ending': 'licences',
  'licence-ended': 'licences',
};

/** null: it goes to one recipient, whatever people chose. */
export function topicOf({ kind }: { kind: string }): MailTopic | null {
  return topics[kind] ?? null;
}

export function isMailTopic(text: string): text is MailTopic {
  return mailTopics.some((topic) => topic === text);
}

/** Before a choice, the person whose address is the account's gets all, and the others nothing. */
export function topicsOf(
  person: { email: string; mailTopics: readonly MailTopic[] | null },
  account: { email: string },
): readonly MailTopic[] {
  return person.mailTopics ?? (person.email === account.email ? mailTopics : []);
}
