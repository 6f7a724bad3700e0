/** [operator-interface §3; incidents: Mails do not arrive] The console's page of mails. */
import { expect, test } from '@jest/globals';
import { caller, now, run, useCasesWith } from '../../http/support.ts';

const mail = {
  accountId: caller.accountId,
  kind: 'webhook-alert',
  lines: ['one'],
  link: null,
  recipient: null,
  sendAfter: now,
  createdAt: now,
};
const sent = { ...mail, id: 'mail-1', subject: 'sent', sentAt: now, givenUp: null };
const givenUp = { ...mail, id: 'mail-2', subject: 'given up', sentAt: now, givenUp: 'refused' };
const waiting = { ...mail, id: 'mail-3', subject: 'waits', sentAt: null, givenUp: null };

test('a mail that was given up is not shown as sent, and says why', async () => {
  const useCases = useCasesWith({
    isOperating: async () => true,
    portalTerms: () => ({ signup: true, trialDays: 14, trialTier: 'pro', sendsMail: true, logDays: 7 }),
    accountsOf: async () => new Map(),
    listMails: async () => ({ items: [sent, givenUp, waiting], nextCursor: null }),
  });
  const { ask, stop } = await run({ useCases });
  const { text } = await ask('/operators/mails', {
    headers: { cookie: `__Host-trunkline_operator=${'s'.repeat(43)}` },
  });
  await stop();
  const cells = [...text.matchAll(/data-head="Sent">(.*?)<\/td>/gs)].map(([, cell = '']) =>
    cell.replaceAll(/<[^>]+>/g, '').trim(),
  );
  expect(cells).toEqual(['just now', 'given up refused just now', 'not yet next try just now']);
});
