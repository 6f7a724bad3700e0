import { describe, expect, test } from '@jest/globals';
import type { MailLine } from '../../../src/storage/journal/writes.ts';
import { maxMailLines } from '../../../src/rules/mails/letter.ts';
import { hashSecret, newId } from '../../../src/kernel/ids.ts';
import { plainSealer } from '../../actors/support/plain-sealer.ts';
import { aSession, noon, cursorAt } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenStore } from './store.ts';
import type { StoredMail } from '../../../src/storage/entities/mails.ts';
import type { IdempotencyRecord } from '../../../src/storage/entities/messages.ts';

export function describeSetupSessionStore(name: string, open: Open): void {
  describe(`${name}: setup sessions`, () => {
    const store = withStore(open);

    test('a session is found by id and token while it is unexpired and unfinished', async () => {
      const { setupSessions } = store.current.stores;
      const session = aSession({ expiresAt: noon + 10 });
      await setupSessions.insert(session);
      expect(await setupSessions.open(session.id, session.tokenHash, noon + 9)).toEqual(session);
      expect(await setupSessions.open(session.id, session.tokenHash, noon + 10)).toBeNull();
      expect(await setupSessions.open(session.id, hashSecret('other token'), noon)).toBeNull();
      expect(await setupSessions.open(newId(), session.tokenHash, noon)).toBeNull();
    });

    test('a session raced by 50 callbacks is finished by one', async () => {
      const { setupSessions } = store.current.stores;
      const session = aSession();
      await setupSessions.insert(session);
      const { id, tokenHash } = session;
      const results = await Promise.all(
        Array.from({ length: 50 }, () => setupSessions.finish(id, tokenHash, noon + 1)),
      );
      expect(results.filter((each) => each !== null)).toEqual([{ ...session, finishedAt: noon + 1 }]);
      expect(await setupSessions.open(id, tokenHash, noon + 1)).toBeNull();
    });

    test('a reopened session can be finished again, by one', async () => {
      const { setupSessions } = store.current.stores;
      const session = aSession();
      await setupSessions.insert(session);
      const { id, tokenHash } = session;
      const first = { id, finishedAt: noon + 1 };
      await setupSessions.finish(id, tokenHash, first.finishedAt);
      await setupSessions.reopen(first);
      expect(await setupSessions.open(id, tokenHash, noon + 1)).toEqual(session);
      const second = await setupSessions.finish(id, tokenHash, noon + 2);
      expect(second).toEqual({ ...session, finishedAt: noon + 2 });
      await setupSessions.reopen(first);
      expect(await setupSessions.open(id, tokenHash, noon + 2)).toBeNull();
    });

    test('how a session was finished is found by its token until it expires', async () => {
      const { setupSessions } = store.current.stores;
      const session = aSession({ expiresAt: noon + 10 });
      await setupSessions.insert(session);
      const { id, tokenHash } = session;
      await setupSessions.finish(id, tokenHash, noon + 1);
      const ending = plainSealer.sealText('where it led', 'setup');
      await setupSessions.noteEnding({ id, finishedAt: noon }, ending);
      expect(await setupSessions.known(id, tokenHash, noon + 9)).toEqual({
        ...session,
        finishedAt: noon + 1,
      });
      await setupSessions.noteEnding({ id, finishedAt: noon + 1 }, ending);
      expect(await setupSessions.known(id, tokenHash, noon + 9)).toMatchObject({ ending });
      expect(await setupSessions.known(id, tokenHash, noon + 10)).toBeNull();
      expect(await setupSessions.known(id, hashSecret('other token'), noon)).toBeNull();
    });

    test('a session cannot be finished with a wrong token or after its time', async () => {
      const { setupSessions } = store.current.stores;
      const session = aSession({ expiresAt: noon + 10 });
      await setupSessions.insert(session);
      expect(await setupSessions.finish(session.id, hashSecret('other token'), noon)).toBeNull();
      expect(await setupSessions.finish(session.id, session.tokenHash, noon + 10)).toBeNull();
      expect(await setupSessions.open(session.id, session.tokenHash, noon)).toEqual(session);
    });

    test("an account's unfinished sessions are listed while they are valid, the one that expires first at the front [faults: 232]", async () => {
      const { setupSessions } = store.current.stores;
      const accountId = newId();
      const [late, soon, gone, done] = [400, 300, 10, 500].map((ms) =>
        aSession({ accountId, expiresAt: noon + ms }),
      );
      for (const each of [late, soon, gone, done, aSession()]) if (each) await setupSessions.insert(each);
      await setupSessions.finish(done?.id ?? '', done?.tokenHash ?? '', noon);
      const idsOf = async (limit: number) =>
        (await setupSessions.unfinished(accountId, noon + 10, limit)).map(({ id }) => id);
      expect(await idsOf(9)).toEqual([soon?.id, late?.id]);
      expect(await idsOf(1)).toEqual([soon?.id]);
    });

    test('sessions that expired before a time are erased', async () => {
      const { setupSessions } = store.current.stores;
      const old = aSession({ expiresAt: noon - 1_000 });
      const kept = aSession({ expiresAt: noon - 999 });
      for (const each of [old, kept]) await setupSessions.insert(each);
      expect(await setupSessions.dropExpired(noon - 999, AbortSignal.abort())).toBe(0);
      expect(await setupSessions.dropExpired(noon - 999)).toBe(1);
      expect(await setupSessions.open(old.id, old.tokenHash, noon - 5_000)).toBeNull();
      expect(await setupSessions.open(kept.id, kept.tokenHash, noon - 5_000)).toEqual(kept);
    });
  });
}

function aRecord(over: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return {
    accountId: newId(),
    key: newId(),
    bodyHash: hashSecret('body'),
    messageId: newId(),
    answer: null,
    createdAt: noon,
    ...over,
  };
}

export function describeIdempotencyStore(name: string, open: Open): void {
  describe(`${name}: idempotency records`, () => {
    const store = withStore(open);

    test('a key used by 50 concurrent calls has one record, which all get', async () => {
      const { idempotency } = store.current.stores;
      const [accountId, key] = [newId(), newId()];
      const records = Array.from({ length: 50 }, () => aRecord({ accountId, key }));
      const standing = await Promise.all(records.map((record) => idempotency.begin(record, noon - 1)));
      expect(new Set(standing.map(({ messageId }) => messageId)).size).toBe(1);
      expect(records).toContainEqual(standing[0]);
    });

    test('the first answer is kept and read back unchanged', async () => {
      const { idempotency } = store.current.stores;
      const first = aRecord();
      expect(await idempotency.begin(first, noon - 1)).toEqual(first);
      const answer = { status: 'failed', error: 'refused', errorCode: 131047, more: [1, null, 'ä'] };
      await idempotency.answered(first, answer);
      await idempotency.answered(first, 'a later one');
      await idempotency.answered({ ...first, messageId: newId() }, 'of another message');
      const again = { ...aRecord(), accountId: first.accountId, key: first.key, createdAt: noon + 5 };
      expect(await idempotency.begin(again, noon - 1)).toEqual({ ...first, answer });
    });

    test('the same key of another account is independent', async () => {
      const { idempotency } = store.current.stores;
      const mine = aRecord();
      const theirs = aRecord({ key: mine.key });
      await idempotency.begin(mine, noon - 1);
      expect(await idempotency.begin(theirs, noon - 1)).toEqual(theirs);
      await idempotency.answered(theirs, 'theirs');
      await idempotency.forget({ ...mine, accountId: newId() });
      expect(await idempotency.begin({ ...mine, messageId: newId() }, noon - 1)).toEqual(mine);
    });

    test('a key that was used before the window is free again', async () => {
      const { idempotency } = store.current.stores;
      const old = aRecord();
      await idempotency.begin(old, noon - 1);
      const next = { ...old, messageId: newId(), createdAt: noon + 100 };
      expect(await idempotency.begin(next, noon)).toEqual(old);
      expect(await idempotency.begin(next, noon + 1)).toEqual(next);
      expect(await idempotency.begin(old, noon + 1)).toEqual(next);
    });

    test('a key whose record is removed is free again', async () => {
      const { idempotency } = store.current.stores;
      const refused = aRecord();
      await idempotency.begin(refused, noon - 1);
      await idempotency.forget(refused);
      const next = { ...refused, messageId: newId() };
      expect(await idempotency.begin(next, noon - 1)).toEqual(next);
      await idempotency.forget(refused);
      expect(await idempotency.begin({ ...next, messageId: newId() }, noon - 1)).toEqual(next);
    });

    test('a record with an answer is not removed', async () => {
      const { idempotency } = store.current.stores;
      const mine = aRecord();
      await idempotency.begin(mine, noon - 1);
      await idempotency.answered(mine, 'sent');
      await idempotency.forget(mine);
      const standing = await idempotency.begin({ ...mine, messageId: newId() }, noon - 1);
      expect(standing).toEqual({ ...mine, answer: 'sent' });
    });

    test('records older than a time are erased', async () => {
      const { idempotency } = store.current.stores;
      const old = aRecord({ createdAt: noon - 1_000 });
      const kept = aRecord({ createdAt: noon - 999 });
      for (const each of [old, kept]) await idempotency.begin(each, 0);
      expect(await idempotency.dropOlder(noon - 999, AbortSignal.abort())).toBe(0);
      expect(await idempotency.dropOlder(noon - 999)).toBe(1);
      expect(await idempotency.begin({ ...kept, messageId: newId() }, 0)).toEqual(kept);
      const again = { ...old, messageId: newId() };
      expect(await idempotency.begin(again, 0)).toEqual(again);
    });
  });
}

function aMailLine(over: Partial<MailLine> = {}): MailLine {
  return {
    id: newId(),
    accountId: newId(),
    kind: 'delivery-digest',
    subject: 'Messages that were not delivered',
    opening: [],
    line: 'one',
    sendAfter: noon,
    createdAt: noon,
    ...over,
  };
}

function mailOf({ opening, line, ...mail }: MailLine): StoredMail {
  return {
    ...mail,
    lines: [...opening, line],
    link: null,
    recipient: null,
    sentAt: null,
    givenUp: null,
    gathersUntil: mail.sendAfter,
  };
}

async function addMails(store: OpenStore, ...lines: MailLine[]): Promise<void> {
  const writes = lines.map((mail) => ({ write: 'addMail' as const, mail }));
  expect(await store.channelState.commit(newId(), 1, writes)).toHaveLength(lines.length);
}

export function describeMailStore(name: string, open: Open): void {
  describe(`${name}: the outbox of mails`, () => {
    const store = withStore(open);

    test('a commit tells whether it made the mail or added a line to it', async () => {
      const [first, other] = [aMailLine(), aMailLine()];
      const add = async (...lines: MailLine[]) => {
        const writes = lines.map((mail) => ({ write: 'addMail' as const, mail }));
        const results = await store.current.channelState.commit(newId(), 1, writes);
        return results.map(({ applied }) => applied);
      };
      expect(await add(first, { ...first, line: 'two' })).toEqual([true, false]);
      expect(await add({ ...first, line: 'three' }, other)).toEqual([false, true]);
      const racing = aMailLine();
      const all = await Promise.all([add(racing), add({ ...racing, line: 'two' })]);
      expect(all.flat().filter(Boolean)).toHaveLength(1);
    });

    test('a mail is made by its first line and collects later ones in order', async () => {
      const { mails } = store.current.stores;
      const first = aMailLine({ opening: ['why', ''] });
      await addMails(store.current, first, {
        ...first,
        line: 'two',
        subject: 'ignored',
        opening: ['ignored'],
      });
      await addMails(store.current, { ...first, line: 'three', sendAfter: noon + 99 });
      const expected = { ...mailOf(first), lines: ['why', '', 'one', 'two', 'three'] };
      expect((await mails.list(first.accountId, { limit: null, cursor: null })).items).toEqual([expected]);
    });

    test('a complete mail is added once', async () => {
      const { mails } = store.current.stores;
      const mail = { ...mailOf(aMailLine()), lines: ['one', 'two'] };
      expect(await mails.add(mail)).toBe(true);
      expect(await mails.add({ ...mail, lines: ['other'] })).toBe(false);
      const listed = await mails.list(mail.accountId, { limit: null, cursor: null });
      expect(listed.items).toEqual([mail]);
      expect(await mails.due(noon, 100)).toContain(mail.id);
    });

    test('of the lines that are added one by one, the first are kept, and the others counted', async () => {
      const { mails } = store.current.stores;
      const mail = aMailLine({ opening: ['why', ''] });
      const lines = Array.from({ length: maxMailLines + 34 }, (_, nth) => ({ ...mail, line: `${nth}` }));
      await addMails(store.current, ...lines);
      const kept = lines.slice(0, maxMailLines).map(({ line }) => line);
      const expected = { ...mailOf(mail), lines: ['why', '', ...kept, '… and 34 more like these'] };
      expect(await mails.unsent(mail.id)).toEqual(expected);
    });

    test("a mail's link is kept until the mail is sent, or old", async () => {
      const { mails } = store.current.stores;
      const link = plainSealer.sealText('https://trunkline.example/x?token=y', 'link');
      const [sent, old, young] = [noon, noon, noon + 1].map((createdAt) => ({
        ...mailOf(aMailLine({ createdAt })),
        link,
      }));
      if (sent === undefined || old === undefined || young === undefined) throw new Error('there are three');
      for (const mail of [sent, old, young]) expect(await mails.add(mail)).toBe(true);
      expect(await mails.unsent(sent.id)).toEqual(sent);
      await mails.markSent(sent.id, noon + 2);
      expect(await mails.dropLinks(noon + 1, AbortSignal.abort())).toBe(0);
      expect(await mails.dropLinks(noon + 1)).toBe(1);
      expect(await mails.dropLinks(noon + 1)).toBe(0);
      expect(await mails.unsent(old.id)).toEqual({ ...old, link: null });
      expect(await mails.unsent(young.id)).toEqual(young);
      const { items } = await mails.list(sent.accountId, { limit: null, cursor: null });
      expect(items).toEqual([{ ...sent, link: null, sentAt: noon + 2 }]);
    });

    test('old mails are erased, sent or not, except for one kind', async () => {
      const { mails } = store.current.stores;
      const accountId = newId();
      const old = Array.from({ length: 50 }, () => aMailLine({ accountId, createdAt: 1 }));
      const reconnect = aMailLine({ accountId, createdAt: 1, kind: 'reconnect' });
      const young = aMailLine({ accountId, createdAt: 2 });
      await addMails(store.current, ...old, reconnect, young);
      await mails.markSent(old[0]?.id ?? '', 5);
      expect(await mails.dropOlder(2, 'reconnect', AbortSignal.abort())).toBe(0);
      expect(await mails.dropOlder(2, 'reconnect')).toBe(50);
      expect(await mails.dropOlder(2, 'reconnect')).toBe(0);
      const { items } = await mails.list(accountId, { limit: null, cursor: null });
      expect(items).toEqual([mailOf(young), mailOf(reconnect)]);
    });

    test('mails are due from their time until they are sent, the longest due first', async () => {
      const { mails } = store.current.stores;
      const due = [-3, -1, -2].map((offset) => aMailLine({ sendAfter: offset }));
      await addMails(store.current, ...due, aMailLine({ sendAfter: 1 }));
      const [a, c, b] = due.map(mailOf);
      expect(await mails.due(0, 10)).toEqual([a?.id, b?.id, c?.id]);
      expect(await mails.due(-1, 2)).toEqual([a?.id, b?.id]);
      await mails.markSent(a?.id ?? '', 5);
      expect(await mails.due(0, 10)).toEqual([b?.id, c?.id]);
      const listed = await mails.list(a?.accountId ?? '', { limit: null, cursor: null });
      expect(listed.items).toEqual([{ ...a, sentAt: 5 }]);
    });

    test('all due mails are found, however many are due at one moment', async () => {
      const { mails } = store.current.stores;
      const together = Array.from({ length: 250 }, () => aMailLine({ sendAfter: noon + 7 }));
      await addMails(store.current, ...together);
      const due = new Set(await mails.due(noon + 7, 10_000));
      expect(together.filter(({ id }) => !due.has(id))).toEqual([]);
    });

    test('an unsent mail is found by its id, and can be postponed', async () => {
      const { mails } = store.current.stores;
      const first = aMailLine({ sendAfter: 5 });
      await addMails(store.current, first);
      await mails.postpone(first.id, 7);
      const expected = { ...mailOf(first), sendAfter: 7 };
      expect(await mails.unsent(first.id)).toEqual(expected);
      expect(await mails.due(6, 100)).not.toContain(first.id);
      expect(await mails.due(7, 100)).toContain(first.id);
    });

    test('a sent or unknown mail is not found as unsent and cannot be postponed', async () => {
      const { mails } = store.current.stores;
      const first = aMailLine({ sendAfter: 5 });
      await addMails(store.current, first);
      await mails.markSent(first.id, 6);
      for (const id of [first.id, newId()]) await mails.postpone(id, 7);
      expect([await mails.unsent(first.id), await mails.unsent(newId())]).toEqual([null, null]);
      const listed = await mails.list(first.accountId, { limit: null, cursor: null });
      expect(listed.items).toEqual([{ ...mailOf(first), sentAt: 6 }]);
    });

    test('a mail that is given up is not tried again, keeps its reason, and loses its link', async () => {
      const { mails } = store.current.stores;
      const link = plainSealer.sealText('https://trunkline.example/x?token=y', 'link');
      const first = { ...mailOf(aMailLine({ sendAfter: 5 })), link };
      await mails.add(first);
      await mails.giveUp(first.id, 6, 'no_address');
      await mails.markSent(first.id, 7);
      expect([await mails.unsent(first.id), await mails.due(noon, 10_000)]).toEqual([
        null,
        expect.not.arrayContaining([first.id]),
      ]);
      const { items } = await mails.list(first.accountId, { limit: null, cursor: null });
      expect(items).toEqual([{ ...first, link: null, sentAt: 6, givenUp: 'no_address' }]);
    });

    test('a sent mail keeps its first time, and a late line does not send it again', async () => {
      const { mails } = store.current.stores;
      const first = aMailLine({ sendAfter: 0 });
      await addMails(store.current, first);
      await mails.markSent(first.id, 5);
      await mails.markSent(first.id, 6);
      await addMails(store.current, { ...first, line: 'late' });
      expect(await mails.due(noon, 100)).not.toContain(first.id);
      const listed = await mails.list(first.accountId, { limit: null, cursor: null });
      expect(listed.items).toEqual([{ ...mailOf(first), lines: ['one', 'late'], sentAt: 5 }]);
    });

    test('a list without a limit returns everything, however long; a long page knows of more', async () => {
      const { mails } = store.current.stores;
      const accountId = newId();
      const lines = Array.from({ length: 450 }, (_, i) => aMailLine({ accountId, createdAt: noon - i }));
      await addMails(store.current, ...lines);
      const expected = lines.map(mailOf);
      expect(await mails.list(accountId, { limit: null, cursor: null })).toEqual({
        items: expected,
        nextCursor: null,
      });
      const page = await mails.list(accountId, { limit: 400, cursor: null });
      expect(page).toEqual({ items: expected.slice(0, 400), nextCursor: cursorAt(expected[399]) });
      const rest = await mails.list(accountId, { limit: 50, cursor: page.nextCursor });
      expect(rest).toEqual({ items: expected.slice(400), nextCursor: null });
    });

    test('mails are listed newest first, of one account or of all, in pages', async () => {
      const { mails } = store.current.stores;
      const accountId = newId();
      const lines = [3, 1, 2].map((i) => aMailLine({ accountId, createdAt: noon + i }));
      const foreign = aMailLine({ createdAt: noon + 4 });
      await addMails(store.current, ...lines, foreign);
      const [third, first, second] = lines.map(mailOf);
      const page = await mails.list(accountId, { limit: 2, cursor: null });
      expect(page).toEqual({ items: [third, second], nextCursor: cursorAt(second) });
      const rest = await mails.list(accountId, { limit: 2, cursor: page.nextCursor });
      expect(rest).toEqual({ items: [first], nextCursor: null });
      const all = await mails.list(null, { limit: 2, cursor: null });
      expect(all).toEqual({ items: [mailOf(foreign), third], nextCursor: cursorAt(third) });
      const after = await mails.list(null, { limit: 1, cursor: all.nextCursor });
      expect(after.items).toEqual([second]);
    });
  });
}
