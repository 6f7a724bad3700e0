import { describe, expect, test } from '@jest/globals';
import { newSealer } from '../../support/sealing.ts';
import { makeMailer } from '../../../src/features/mails/mailer.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import type { SealedText } from '../../../src/kernel/sealed.ts';
import { linkPlace } from '../../../src/rules/mails/letter.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { systemClock, dayMs } from '../../../src/kernel/clock.ts';
import { closeAfterEach } from '../../support/closing.ts';
import { smtpServer } from './smtp-server.ts';
import type { SmtpFault } from './smtp-server.ts';
import type { StoredMail } from '../../../src/storage/entities/mails.ts';
import type { AccountStore } from '../../../src/features/accounts/store.ts';
import type { Person } from '../../../src/rules/person.ts';
import { topicOf } from '../../../src/rules/mails/topics.ts';
import { aPerson } from '../../stores/conformance/samples.ts';
import type { MailStore } from '../../../src/features/mails/store.ts';

const closeLater = closeAfterEach();

const sealer = newSealer();
const start = 1_700_000_000_000;

function mail(id: string, more: Partial<StoredMail> = {}): StoredMail {
  const lines = ['first line', 'second line'];
  const times = { sendAfter: start, sentAt: null, givenUp: null, gathersUntil: 0, createdAt: start };
  const account = { accountId: 'account-1', kind: 'webhook-alert' };
  return { id, ...account, subject: 'Grüße', lines, link: null, recipient: null, ...times, ...more };
}

type Outbox = Pick<MailStore, 'add' | 'addressTo' | 'due' | 'unsent' | 'postpone' | 'markSent' | 'giveUp'>;

function outbox(...stored: StoredMail[]) {
  const sent: string[] = [];
  /** Ids with the reason. */
  const givenUp: string[][] = [];
  const hasEnded = (id: string): boolean => sent.includes(id) || givenUp.some(([each]) => each === id);
  const unsent = (): StoredMail[] => stored.filter((one) => !hasEnded(one.id));
  const byId = (id: string): StoredMail | null => unsent().find((one) => one.id === id) ?? null;
  const mails: Outbox = {
    due: async (now, limit) =>
      unsent()
        .filter((one) => one.sendAfter <= now)
        .slice(0, limit)
        .map(({ id }) => id),
    unsent: async (id) => byId(id),
    async add(copy) {
      const isNew = stored.every(({ id }) => id !== copy.id);
      if (isNew) stored.push(copy);
      return isNew;
    },
    async addressTo(id, recipient) {
      const one = byId(id);
      if (one !== null) one.recipient = recipient;
    },
    async postpone(id, sendAfter) {
      const one = byId(id);
      if (one !== null) one.sendAfter = sendAfter;
    },
    markSent: async (id) => void sent.push(id),
    giveUp: async (id, _, why) => void givenUp.push([id, why]),
  };
  return { mails, sent, givenUp };
}

const accounts: Pick<AccountStore, 'byId'> = {
  byId: async (id) =>
    id === 'gone'
      ? null
      : {
          id,
          email: id.includes('@') ? id : `${id}@example.test`,
          name: null,
          suspendedAt: null,
          suspendedWhy: null,
          note: null,
          createdAt: start,
        },
};

const nobody: readonly Person[] = [];

const member = (email: string, topics: Person['mailTopics'], over: Partial<Person> = {}): Person =>
  aPerson({ id: `id of ${email}`, email, mailTopics: topics, ...over });

function mailer(
  smtpUrl: string | null,
  mails: Outbox,
  { now = start, timeoutMs = 5_000, from = 'service@example.test', people = nobody } = {},
) {
  const time = { now };
  const lines: unknown[] = [];
  const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const clock = { ...systemClock, now: () => time.now };
  const counters = { increment: () => undefined };
  const made = makeMailer({
    smtpUrl,
    from,
    baseUrl: 'https://trunkline.example',
    mails,
    accounts,
    people: { ofAccount: async () => [...people] },
    sealer,
    timeoutMs,
    counters,
    clock,
    log,
  });
  closeLater(() => made.stop());
  /** Runs the outbox job and the mail jobs that it queues, one at a time. */
  const sendDue = async (): Promise<void> => {
    for (const id of await made.due()) await made.send(id);
  };
  return { mailer: made, sendDue, lines, time };
}

async function server(refuse?: (to: string) => boolean) {
  const made = await smtpServer(refuse);
  closeLater(() => made.close());
  return made;
}

describe('mails are sent from the outbox [architecture §6.8]', () => {
  test('a due mail goes to the address of its account, once', async () => {
    const smtp = await server();
    const { mails, sent } = outbox(mail('mail-1'), mail('mail-2', { sendAfter: start + 1 }));
    const made = mailer(smtp.url, mails);

    for (let look = 0; look < 2; look += 1) await made.sendDue();

    expect(sent).toEqual(['mail-1']);
    expect(smtp.mails.map(({ from, to }) => [from, to])).toEqual([
      ['service@example.test', ['account-1@example.test']],
    ]);
    const content = String(smtp.mails[0]?.content);
    expect(content).toContain('Message-ID: <mail-1@example.test>\n');
    expect(content).toContain('Auto-Submitted: auto-generated\n');
    expect(content).toContain('\n\nfirst line\nsecond line\n');
  });

  test('a line becomes plain text and an HTML paragraph; text is never markup, a URL becomes a link', async () => {
    const smtp = await server();
    const own = 'https://trunkline.example/portal/reset?token=a&b';
    const lines = ['Shop <b>&</b> "Co"', 'Look: https://trunkline.example/portal/channels', '', own];

    await mailer(smtp.url, outbox(mail('mail-1', { lines })).mails).sendDue();

    const content = String(smtp.mails[0]?.content).replaceAll('=\n', '').replaceAll('=3D', '=');
    expect(content).toContain('Content-Type: text/plain');
    const bare = content.replaceAll(/ style="[^"]*"/g, '');
    expect(bare).toContain('<p>Shop &lt;b&gt;&amp;&lt;/b&gt; &quot;Co&quot;</p>');
    const url = 'https://trunkline.example/portal/channels';
    expect(bare).toContain(`<p>Look: <a href="${url}">${url}</a></p>`);
    const written = own.replace('&', '&amp;');
    expect(bare).toContain(`<p><a href="${written}">Open the link</a></p>\n<p>${written}</p>`);
    expect(bare).toContain('<h1>');
    // Mail programs drop all but inline styles, and ask before they load anything.
    expect(content).not.toMatch(/<style|<link|<img|src=/);
  });

  test('line breaks in a subject or an address add no header and no recipient', async () => {
    const smtp = await server();
    const subject = 'Hello\r\nBcc: thief@example.test\r\n\r\nbody';
    const accountId = 'a\r\nRCPT TO:<thief@example.test>\r\n';

    await mailer(smtp.url, outbox(mail('mail-1'), mail('mail-2', { subject, accountId })).mails).sendDue();

    expect(smtp.mails.flatMap(({ to }) => to).filter((to) => to.startsWith('thief'))).toEqual([]);
    for (const { content } of smtp.mails) expect(content).not.toMatch(/^Bcc:/im);
  });

  test.each(['victim@x.test>', 'a@b.test, victim@x.test', 'victim@x.test\u0000'])(
    'a stored address that is invalid gets no mail, and is not retried: %j [faults: 131]',
    async (accountId) => {
      const smtp = await server();
      const { mails, sent, givenUp } = outbox(mail('mail-1', { accountId }));
      const made = mailer(smtp.url, mails);

      await made.sendDue();

      expect([smtp.mails, sent, givenUp]).toEqual([[], [], [['mail-1', 'no_address']]]);
      expect(made.lines).toMatchObject([{ msg: 'mail.not-sent', mail: 'mail-1', result: 'no_address' }]);
    },
  );

  test.each([
    'Trunkline, operations <service@example.test>',
    '"Trunkline, operations" <service@example.test>',
  ])('a sender may have a name: %s', async (from) => {
    const smtp = await server();

    await mailer(smtp.url, outbox(mail('mail-1')).mails, { from }).sendDue();

    expect(smtp.mails.map((each) => each.from)).toEqual(['service@example.test']);
    expect(smtp.mails[0]?.content).toContain('From: "Trunkline, operations" <service@example.test>\n');
  });

  test('a link is decrypted when its mail is sent; a missing link, or one whose key is gone, ends its mail [faults: 135]', async () => {
    const smtp = await server();
    const link = 'https://service.example/portal/reset?token=secret';
    const withLink = (id: string, sealed: SealedText | null) =>
      mail(id, { lines: ['Open this:', linkPlace], link: sealed });
    const context = (id: string) => sealContext.mailLink('account-1', id);
    const { mails, sent, givenUp } = outbox(
      withLink('mail-1', sealer.sealText(link, context('mail-1'))),
      withLink('mail-2', sealer.sealText(link, context('mail-1'))),
      withLink('mail-3', newSealer().sealText(link, context('mail-3'))),
      withLink('mail-4', null),
    );
    const made = mailer(smtp.url, mails);

    await made.sendDue();

    expect([smtp.mails.length, sent]).toEqual([1, ['mail-1']]);
    expect(givenUp).toEqual(['mail-2', 'mail-3', 'mail-4'].map((id) => [id, 'no_link']));
    expect(String(smtp.mails[0]?.content).replaceAll('=\n', '').replaceAll('=3D', '=')).toContain(
      `\nOpen this:\n${link}\n`,
    );
    expect(JSON.stringify(made.lines)).not.toContain('token=secret');
  });

  test('consecutive mails share a connection', async () => {
    const smtp = await server();
    const { mails, sent } = outbox(...Array.from({ length: 5 }, (_, index) => mail(`mail-${index}`)));
    const made = mailer(smtp.url, mails);

    await made.sendDue();

    expect(sent.length).toBe(5);
    expect([smtp.mails.length, smtp.state.connections]).toEqual([5, 1]);
  });

  test('a refused mail stays in the outbox and does not delay the others', async () => {
    const smtp = await server((to) => to.includes('refused'));
    const { mails, sent } = outbox(mail('mail-1', { accountId: 'refused' }), mail('mail-2'));
    const made = mailer(smtp.url, mails);

    await made.sendDue();

    expect(sent).toEqual(['mail-2']);
    expect(made.lines).toMatchObject([
      { msg: 'mail.not-sent', mail: 'mail-1', result: 'refused', givenUp: false },
      { msg: 'mail.sent', mail: 'mail-2' },
    ]);
  });

  test('a refused mail is retried after a quarter of an hour', async () => {
    const answers = [true, false];
    const smtp = await server(() => answers.shift() ?? false);
    const { mails, sent } = outbox(mail('mail-1'));
    const made = mailer(smtp.url, mails);
    for (let look = 0; look < 2; look += 1) await made.sendDue();
    const early = [...sent];

    made.time.now += 15 * 60_000;
    await made.sendDue();

    expect([early, sent]).toEqual([[], ['mail-1']]);
    expect(answers).toEqual([]);
  });

  test('a server that did not answer is not called for a minute', async () => {
    const away = await smtpServer();
    await away.close();
    const made = mailer(away.url, outbox(mail('mail-1')).mails);
    await made.sendDue();
    await made.sendDue();
    const early = made.lines.length;

    made.time.now += 60_000;
    await made.sendDue();

    expect([early, made.lines.length]).toEqual([1, 2]);
  });

  test('a mail that was refused for three days is given up', async () => {
    const smtp = await server(() => true);
    const { mails, sent, givenUp } = outbox(mail('mail-1'));
    const made = mailer(smtp.url, mails);

    await made.sendDue();
    made.time.now += 3 * dayMs;
    await made.sendDue();
    const early = [...givenUp];
    made.time.now += 15 * 60_000;
    await made.sendDue();

    expect([sent, early, givenUp]).toEqual([[], [], [['mail-1', 'refused']]]);
    expect(made.lines.at(-1)).toMatchObject({ mail: 'mail-1', result: 'refused', givenUp: true });
  });

  test('[faults: 454] a mail that could not be offered for three days, or that waited longer for its digest, is tried as long as any other', async () => {
    const answers = [true, false];
    const smtp = await server(() => answers.shift() ?? false);
    const { mails, sent, givenUp } = outbox(mail('mail-1'));
    const made = mailer(smtp.url, mails, { now: start + 7 * dayMs });

    await made.sendDue();
    made.time.now += 15 * 60_000;
    await made.sendDue();

    expect([sent, givenUp]).toEqual([['mail-1'], []]);
  });

  test('an unreachable server causes one attempt per turn; all mails stay', async () => {
    const smtp = await smtpServer();
    await smtp.close();
    const { mails, sent } = outbox(mail('mail-1'), mail('mail-2'));
    const made = mailer(smtp.url, mails);

    await made.sendDue();

    expect(sent).toEqual([]);
    const why = expect.stringContaining('ECONNREFUSED');
    expect(made.lines).toMatchObject([{ mail: 'mail-1', result: 'unreachable', why, givenUp: false }]);
    expect(made.lines.length).toBe(1);
  });

  test('while a server is not called all mails wait in the outbox, and other nodes do not try either', async () => {
    const away = await smtpServer();
    await away.close();
    const stored = [mail('mail-1'), mail('mail-2')];
    const { mails } = outbox(...stored);

    await mailer(away.url, mails).sendDue();

    expect(stored.map(({ sendAfter }) => sendAfter)).toEqual([start + 60_000, start + 60_000]);
    expect(await mailer(away.url, mails).mailer.due()).toEqual([]);
  });

  test('a job for a sent mail has no effect', async () => {
    const smtp = await server();
    const made = mailer(smtp.url, outbox(mail('mail-1')).mails);
    await made.sendDue();

    await made.mailer.send('mail-1');

    expect(smtp.mails.length).toBe(1);
  });

  test('after stop nothing is sent', async () => {
    const smtp = await server();
    const { mails, sent } = outbox(mail('mail-1'));
    const made = mailer(smtp.url, mails);
    made.mailer.stop();

    await made.sendDue();

    expect([sent, smtp.mails]).toEqual([[], []]);
  });

  test('a mail of a deleted account is dropped', async () => {
    const smtp = await server();
    const { mails, sent, givenUp } = outbox(mail('mail-1', { accountId: 'gone' }));

    await mailer(smtp.url, mails).sendDue();

    expect([sent, givenUp, smtp.mails]).toEqual([[], [['mail-1', 'no_account']], []]);
  });

  test('no log line has content or addresses', async () => {
    const smtp = await server((to) => to.includes('refused'));
    const { mails } = outbox(mail('mail-1', { accountId: 'refused' }), mail('mail-2'));
    const made = mailer(smtp.url, mails);

    await made.sendDue();

    expect(JSON.stringify(made.lines)).not.toMatch(/first line|Grüße|example\.test|no such user/);
  });
});

describe('a mail of an account goes to the people who chose its topic [faults: 394]', () => {
  const owner = (topics: Person['mailTopics']) => member('account-1@example.test', topics);
  const to = async (people: readonly Person[], ...mails: StoredMail[]) => {
    const smtp = await server();
    const box = outbox(...mails);
    const made = mailer(smtp.url, box.mails, { people });
    for (let look = 0; look < 2; look += 1) await made.sendDue();
    return { ...box, to: smtp.mails.flatMap((each) => each.to).toSorted(), lines: made.lines };
  };

  test('before a choice, to the person whose address is the account’s', async () => {
    const people = [owner(null), member('b@example.test', null)];
    expect((await to(people, mail('mail-1'))).to).toEqual(['account-1@example.test']);
  });

  test('each gets one mail of a topic that they chose', async () => {
    const people = [
      owner(['licences']),
      member('b@example.test', ['failures']),
      member('c@example.test', ['failures', 'licences']),
      member('invited@example.test', ['failures'], { passwordHash: null }),
    ];
    const failures = await to(people, mail('mail-1'));
    expect(failures.to).toEqual(['b@example.test', 'c@example.test']);
    expect(failures.sent).toHaveLength(2);
    const licences = await to(people, mail('mail-1', { kind: 'trial-ending' }));
    expect(licences.to).toEqual(['account-1@example.test', 'c@example.test']);
  });

  test('that nobody chose is not sent, and is no trouble', async () => {
    const { to: sentTo, givenUp, lines } = await to([owner([])], mail('mail-1'));
    expect([sentTo, givenUp]).toEqual([[], [['mail-1', 'unwanted']]]);
    expect(lines).toMatchObject([{ msg: 'mail.unwanted', mail: 'mail-1', level: 'info' }]);
  });

  test('an address that an operator gave the account gets what people did not choose', async () => {
    const people = [member('b@example.test', ['failures'])];
    expect((await to(people, mail('mail-1'))).to).toEqual(['account-1@example.test', 'b@example.test']);
    expect((await to(people, mail('mail-1', { kind: 'trial-ending' }))).to).toEqual([
      'account-1@example.test',
    ]);
  });

  test('what has a recipient goes there alone, whatever people chose', async () => {
    const about = { kind: 'portal-reset', recipient: 'me@example.test' };
    expect((await to([owner([])], mail('mail-1', about))).to).toEqual(['me@example.test']);
  });

  test('a refused copy is tried again by itself; the others are not sent again', async () => {
    let isFull = true;
    const smtp = await server((address) => isFull && address.startsWith('c@'));
    const { mails, sent } = outbox(mail('mail-1'));
    const people = [owner(['failures']), member('c@example.test', ['failures'])];
    const made = mailer(smtp.url, mails, { people });
    for (let look = 0; look < 2; look += 1) await made.sendDue();
    expect(sent).toEqual(['mail-1']);
    isFull = false;
    made.time.now += 15 * 60_000;
    await made.sendDue();
    expect(smtp.mails.flatMap((each) => each.to)).toEqual(['account-1@example.test', 'c@example.test']);
    expect(sent).toHaveLength(2);
  });

  test.each([
    ['has left the account', () => []],
    ['wants no such mail any more', () => [member('c@example.test', ['licences'])]],
  ])('what waits for a person who %s is not sent', async (_why, then) => {
    const smtp = await server(() => true);
    const { mails, givenUp } = outbox(mail('mail-1'));
    const people = [owner(['failures']), member('c@example.test', ['failures'])];
    const made = mailer(smtp.url, mails, { people });
    for (let look = 0; look < 2; look += 1) await made.sendDue();
    people.splice(1, 1, ...then());
    const taken = await server();
    made.time.now += 15 * 60_000;
    const later = mailer(taken.url, mails, { people, now: made.time.now });
    await later.sendDue();
    expect(taken.mails.flatMap((each) => each.to)).toEqual(['account-1@example.test']);
    expect(givenUp).toEqual([[expect.any(String), 'unwanted']]);
  });

  test('every kind of mail that an account gets has a topic', () => {
    const kinds = ['webhook-warning', 'webhook-alert', 'webhook-recovered', 'delivery-digest', 'reconnect'];
    for (const kind of [
      ...kinds,
      'endpoint-disabled',
      'channel-problem',
      'key-ending',
      'trial-ending',
      'licence-ended',
    ])
      expect([kind, topicOf({ kind })]).not.toEqual([kind, null]);
    expect(topicOf({ kind: 'portal-reset' })).toBeNull();
  });
});

describe('a malicious mail server', () => {
  const run = async (fault: SmtpFault) => {
    let isBad = true;
    const smtp = await smtpServer(undefined, (at) => (isBad && at === fault.at ? fault.does : null));
    closeLater(() => smtp.close());
    const { mails, sent } = outbox(mail('mail-1'), mail('mail-2'));
    // A server that answers has time to; for one that hangs, the test waits.
    const made = mailer(smtp.url, mails, { timeoutMs: fault.does === 'hang' ? 1_000 : 20_000 });
    await made.sendDue();
    expect(smtp.state.faults).toBeGreaterThan(0);
    const during = {
      sent: [...sent],
      taken: smtp.mails.length,
      results: made.lines.map((line) => Object(line).result),
    };
    isBad = false;
    return { during, smtp, made, sent };
  };
  const places = ['connect', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'taken'] as const;

  test.each(
    places.flatMap(
      (at) =>
        [
          { at, does: 'hang' },
          { at, does: 'close' },
        ] as const,
    ),
  )('it $does (at $at): one try, everything stays, and goes a minute later', async (fault) => {
    const { during, made, smtp, sent } = await run(fault);
    expect(during).toEqual({ sent: [], taken: 0, results: ['unreachable'] });
    made.time.now += 60_000;
    await made.sendDue();
    expect([sent, smtp.mails.length]).toEqual([['mail-1', 'mail-2'], 2]);
  });

  test.each([
    { at: 'RCPT', does: '451 4.7.1 greylisted, come back later' },
    { at: 'taken', does: '452 4.2.2 mailbox full' },
    { at: 'MAIL', does: '450 4.3.2 too busy' },
  ] as const)('defers a mail ($does): retried after five minutes, not before', async (fault) => {
    const { during, made, sent } = await run(fault);
    expect(during).toEqual({ sent: [], taken: 0, results: ['deferred', 'deferred'] });
    made.time.now += 5 * 60_000 - 1;
    await made.sendDue();
    expect(sent).toEqual([]);
    made.time.now += 1;
    await made.sendDue();
    expect(sent).toEqual(['mail-1', 'mail-2']);
  });

  test('answers with a text that may quote the mail: the log has only the number', async () => {
    const { made } = await run({ at: 'RCPT', does: '550 5.1.1 no such user' });
    expect(made.lines).toMatchObject([{ why: 'answer 550' }, { why: 'answer 550' }]);
  });

  test.each([
    { at: 'RCPT', does: '550 5.1.1 no such user' },
    { at: 'taken', does: '554 5.7.1 looks like spam' },
  ] as const)('refuses a mail ($does): retried after a quarter of an hour', async (fault) => {
    const { during, made, sent } = await run(fault);
    expect(during).toEqual({ sent: [], taken: 0, results: ['refused', 'refused'] });
    made.time.now += 15 * 60_000;
    await made.sendDue();
    expect(sent).toEqual(['mail-1', 'mail-2']);
  });

  test('closes with 421: like an unreachable server', async () => {
    const { during } = await run({ at: 'MAIL', does: '421 4.3.2 closing' });
    expect(during).toEqual({ sent: [], taken: 0, results: ['unreachable'] });
  });

  test('floods: an answer that never ends is cut off', async () => {
    const { during } = await run({
      at: 'EHLO',
      does: `250-${'x'.repeat(1_000)}\r\n`.repeat(2_000) + '250-more',
    });
    expect(during).toEqual({ sent: [], taken: 0, results: ['unreachable'] });
  });

  test('only addresses of this service are links', async () => {
    const smtp = await server();
    const own = 'https://trunkline.example/portal/channels/1';
    const lines = [
      `Open ${own}`,
      'It says https://evil.example/login',
      'https://trunkline.example.evil.test/',
    ];
    const { mails } = outbox(mail('mail-1', { lines }));
    await mailer(smtp.url, mails).sendDue();
    const [, html = ''] = (smtp.mails[0]?.content ?? '').split(/Content-Type: text\/html/i);
    const decoded = html.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
    expect([...decoded.matchAll(/href="([^"]*)"/g)].map(([, to]) => to)).toEqual([own]);
  });

  test.each([
    'x@example.test\r\nBcc: thief@example.test',
    'x@example.test\nDATA',
    'x@example.test\u0000',
    'x,thief@example.test',
  ])('an address with additional parts (%j) adds no recipient and no header', async (email) => {
    const smtp = await server();
    const { mails } = outbox(mail('mail-1'));
    const made = makeMailer({
      smtpUrl: smtp.url,
      from: 'service@example.test',
      baseUrl: 'https://trunkline.example',
      mails,
      sealer,
      people: { ofAccount: async () => [] },
      accounts: {
        byId: async (id) => ({
          id,
          email,
          name: null,
          suspendedAt: null,
          suspendedWhy: null,
          note: null,
          createdAt: start,
        }),
      },
      counters: { increment: () => undefined },
      clock: systemClock,
      log: makeLog('silent'),
    });
    closeLater(() => made.stop());
    await made.send('mail-1');
    expect(smtp.mails.flatMap(({ to }) => to).filter((to) => to.startsWith('thief'))).toEqual([]);
    expect(smtp.mails.flatMap(({ to }) => to).length).toBeLessThanOrEqual(1);
    for (const { content } of smtp.mails) expect(content).not.toMatch(/^Bcc:/im);
  });
});

describe('without SMTP_URL mails are stored and shown [operator-interface §2]', () => {
  test('nothing is due, marked as sent or logged [faults: 161]', async () => {
    const { mails, sent } = outbox(mail('mail-1'), mail('mail-2'));
    const made = mailer(null, mails);

    expect(await made.mailer.due()).toEqual([]);

    await made.mailer.send('mail-1');
    expect([sent, made.lines]).toEqual([[], []]);
  });
});
