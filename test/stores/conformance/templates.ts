import { describe, expect, test } from '@jest/globals';
import { dayMs } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { Template, TemplateOwner } from '../../../src/rules/templates/template.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { aTemplate, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import type { TemplateStore } from '../../../src/features/templates/store.ts';

function newOwner(): TemplateOwner {
  return { accountId: newId(), businessAccountId: newId() };
}

export function describeTemplates(name: string, open: Open): void {
  describe(`${name}: templates [spec: Template]`, () => {
    const store = withStore(open);
    const templates = () => store.current.stores.templates;

    async function listed(owner: TemplateOwner, status: string | null = null): Promise<Template[]> {
      return (await templates().list(owner, status, everything)).items;
    }

    const put = (over: Partial<Template>, now?: number) => putTemplate(templates(), over, now);

    test('a template is read back unchanged, by id, by name and in the list', async () => {
      const owner = newOwner();
      const plain = await put(owner);
      const more = { language: 'de', quality: 'RED', rejectedReason: 'SCAM', syncedAt: null };
      const full = await put({ ...owner, ...more, createdAt: noon + 1 });
      expect(await listed(owner)).toEqual([plain, full]);
      expect(await templates().byId(owner, full.id)).toEqual(full);
      expect(await templates().byName(owner, 'order_ready')).toEqual([plain, full]);
      expect(await templates().byName(owner, 'order')).toEqual([]);
    });

    test('one that upstream accepted replaces the same one that a list has brought, and says so', async () => {
      const owner = newOwner();
      const template = aTemplate({ ...owner, status: 'PENDING' });
      await templates().synced(
        owner,
        { changed: [{ ...template, status: 'APPROVED' }], goneIds: [] },
        noon,
        noon + dayMs,
      );
      expect(await templates().put(template, noon + 1)).toBe(false);
      expect(await listed(owner)).toEqual([template]);
      expect(await templates().put(aTemplate(owner), noon + 1)).toBe(true);
    });

    test('the names of an account are listed by business account and name, without the removed ones', async () => {
      const [one, two] = [newOwner(), newId()];
      const last = await put({ ...one, businessAccountId: 'b', name: 'a' });
      const second = await put({ ...one, businessAccountId: 'a', name: 'z' });
      const first = await put({ ...one, businessAccountId: 'a', name: 'c', language: 'de' });
      const gone = await put({ ...one, businessAccountId: 'a', name: 'd' });
      await put({ ...one, accountId: two });
      await templates().remove(gone, [gone.id], noon);
      const shown = ({ id, businessAccountId, name: called, language }: Template) => ({
        id,
        businessAccountId,
        name: called,
        language,
      });
      expect(await templates().names(one.accountId, 9)).toEqual([first, second, last].map(shown));
      expect(await templates().names(one.accountId, 2)).toEqual([first, second].map(shown));
    });

    test('no other account sees or changes it, nor does the account on another business account', async () => {
      const owner = newOwner();
      const { id } = await put(owner);
      for (const other of [
        { ...owner, accountId: newId() },
        { ...owner, businessAccountId: newId() },
      ]) {
        expect(await listed(other)).toEqual([]);
        expect(await templates().byId(other, id)).toBeNull();
        expect(await templates().byName(other, 'order_ready')).toEqual([]);
        await templates().edited(other, id, { status: 'X', category: 'X', components: [] }, noon + 1);
        await templates().remove(other, [id], noon + 1);
        await templates().synced(other, { changed: [], goneIds: [id] }, noon + 2, noon + dayMs);
      }
      expect(await templates().byId(owner, id)).toMatchObject({ status: 'PENDING', category: 'UTILITY' });
    });

    test('a list comes in pages, and is filtered by status', async () => {
      const owner = newOwner();
      const made: Template[] = [];
      for (let at = 0; at < 5; at += 1) {
        const status = at % 2 === 0 ? 'APPROVED' : 'PENDING';
        made.push(await put({ ...owner, createdAt: noon + at, status }));
      }
      const first = await templates().list(owner, null, { limit: 3, cursor: null });
      const rest = await templates().list(owner, null, { limit: 3, cursor: first.nextCursor });
      expect([...first.items, ...rest.items]).toEqual(made);
      expect(rest.nextCursor).toBeNull();
      expect(await listed(owner, 'PENDING')).toEqual([made[1], made[3]]);
      expect(await listed(owner, 'PAUSED')).toEqual([]);
    });

    test('a change by upstream is on record once, whoever learns of it, until it is told', async () => {
      const owner = newOwner();
      const { id, upstreamId } = await put({ ...owner, status: 'PENDING' }, noon);
      const { businessAccountId } = owner;
      const change = { status: 'APPROVED', reason: null };
      const report = { businessAccountId, upstreamId, at: noon + 1, change };
      await Promise.all([1, 2, 3].map(() => templates().apply(report, noon + 1)));
      await templates().apply({ ...report, at: noon + 2, change: { quality: 'RED' } }, noon + 2);
      const mine = async () => (await templates().untold(noon, 1_000)).filter((each) => each.id === id);
      const changes = (await mine())[0]?.untold ?? [];
      expect(changes.map(({ changed, before, after }) => [changed, before, after])).toEqual([
        ['status', 'PENDING', 'APPROVED'],
        ['quality', null, 'RED'],
      ]);
      await templates().told(id, new Set(changes.slice(0, 1).map((each) => each.id)));
      expect((await mine())[0]?.untold).toEqual(changes.slice(1));
      await templates().tellLater(id, noon + 1);
      expect(await mine()).toEqual([]);
      await templates().told(id, new Set(changes.map((each) => each.id)));
      expect((await templates().untold(noon + 1, 1_000)).filter((each) => each.id === id)).toEqual([]);
    });

    test('an edit changes the given fields and clears the reason of the rejection', async () => {
      const owner = newOwner();
      const before = await put({ ...owner, status: 'REJECTED', rejectedReason: 'SCAM' });
      const change = {
        status: 'PENDING',
        category: 'MARKETING',
        components: [{ type: 'BODY', text: 'New' }],
      };
      const after = { ...before, ...change, rejectedReason: null };
      expect(await templates().edited(owner, before.id, change, noon + 1)).toEqual({ before, after });
      expect(await templates().byId(owner, before.id)).toEqual(after);
    });

    test('a removed template is gone, also for a list that was in flight, until a later list has it', async () => {
      const owner = newOwner();
      const template = await put(owner);
      expect(await templates().remove(owner, [template.id], noon + 10)).toEqual([template]);
      expect(await templates().remove(owner, [template.id], noon + 10)).toEqual([]);
      const edit = { status: 'X', category: 'X', components: [] };
      expect(await templates().edited(owner, template.id, edit, noon + 11)).toBeNull();
      await templates().synced(owner, { changed: [template], goneIds: [] }, noon + 5, noon + dayMs);
      expect([await listed(owner), await templates().byId(owner, template.id)]).toEqual([[], null]);
      await templates().synced(owner, { changed: [template], goneIds: [] }, noon + 20, noon + dayMs);
      expect(await listed(owner)).toEqual([template]);
    });

    test('removed templates are forgotten after a while', async () => {
      const owner = newOwner();
      const [one, two] = [await put(owner), await put(owner)];
      await templates().remove(owner, [one.id, two.id], noon - 5 * dayMs);
      expect(await templates().dropRemoved(noon - 5 * dayMs)).toBe(0);
      expect(await templates().dropRemoved(noon - 4 * dayMs, AbortSignal.abort())).toBe(0);
      expect(await templates().dropRemoved(noon - 4 * dayMs)).toBe(2);
    });
  });
}

export function describeTemplateSyncs(name: string, open: Open): void {
  describe(`${name}: syncs of templates`, () => {
    const store = withStore(open);
    const templates = () => store.current.stores.templates;

    const put = (over: Partial<Template>, now?: number) => putTemplate(templates(), over, now);

    async function listed(owner: TemplateOwner): Promise<Template[]> {
      return (await templates().list(owner, null, everything)).items;
    }

    test('add new templates, update different ones, and remove those that are gone', async () => {
      const owner = newOwner();
      const [kept, before, gone] = [await put(owner), await put(owner), await put(owner)];
      const fresh = aTemplate({ ...owner, createdAt: noon + 7 });
      const changed = { ...before, status: 'APPROVED', quality: 'GREEN' };
      const news = { changed: [changed, fresh], goneIds: [gone.id] };
      await templates().synced(owner, news, noon + 1, noon + dayMs);
      const found = new Map((await listed(owner)).map((template) => [template.id, template]));
      expect(found).toEqual(new Map([kept, changed, fresh].map((each) => [each.id, each])));
    });

    test('of hundreds of templates', async () => {
      const owner = newOwner();
      const many = Array.from({ length: 130 }, (_, at) => aTemplate({ ...owner, createdAt: noon + at }));
      await templates().synced(owner, { changed: many, goneIds: [] }, noon, noon + dayMs);
      expect(await listed(owner)).toEqual(many);
    });

    test('do not change what was changed here after upstream was asked', async () => {
      const owner = newOwner();
      const old = await put(owner, noon);
      const edited = await put(owner, noon + 10);
      const asked = [old, edited].map((template) => ({ ...template, status: 'REJECTED' }));
      await templates().synced(owner, { changed: asked, goneIds: [] }, noon + 5, noon + dayMs);
      expect((await templates().byId(owner, old.id))?.status).toBe('REJECTED');
      expect(await templates().byId(owner, edited.id)).toEqual(edited);
      await templates().synced(owner, { changed: [], goneIds: [edited.id] }, noon + 9, noon + dayMs);
      expect(await templates().byId(owner, edited.id)).toEqual(edited);
    });

    test('an older list than the last has no effect', async () => {
      const owner = newOwner();
      const template = await put(owner);
      await templates().synced(owner, { changed: [], goneIds: [] }, noon + 10, noon + dayMs);
      const late = { changed: [{ ...template, status: 'REJECTED' }], goneIds: [] };
      await templates().synced(owner, late, noon + 5, noon + dayMs);
      expect(await listed(owner)).toEqual([template]);
      expect((await templates().sync(owner))?.syncedAt).toBe(noon + 10);
    });

    test('keep their time and the next one; failures are counted', async () => {
      const owner = newOwner();
      expect(await templates().sync(owner)).toBeNull();
      await templates().askForSync(owner, noon);
      await templates().syncFailed({ ...owner, dueAt: noon }, noon + 50);
      await templates().syncFailed({ ...owner, dueAt: noon + 50 }, null);
      expect(await templates().sync(owner)).toEqual({ ...owner, syncedAt: null, dueAt: null, failures: 2 });
      await templates().synced(owner, { changed: [], goneIds: [] }, noon + 60, noon + dayMs);
      const known = { ...owner, syncedAt: noon + 60, dueAt: noon + dayMs, failures: 0 };
      expect(await templates().sync(owner)).toEqual(known);
    });

    test('one that was requested after upstream was asked stays due', async () => {
      const owner = newOwner();
      await templates().askForSync(owner, noon);
      await templates().synced(owner, { changed: [], goneIds: [] }, noon + 1, noon + dayMs);
      await templates().askForSync(owner, noon + 10);
      await templates().synced(owner, { changed: [], goneIds: [] }, noon + 5, noon + 2 * dayMs);
      expect((await templates().sync(owner))?.dueAt).toBe(noon + 10);
    });

    test('one that was due already and was requested again after upstream was asked stays due', async () => {
      const owner = newOwner();
      await templates().askForSync(owner, noon);
      await templates().askForSync(owner, noon + 10);
      await templates().synced(owner, { changed: [], goneIds: [] }, noon + 5, noon + dayMs);
      expect((await templates().sync(owner))?.dueAt).toBe(noon + 10);
    });

    test('one that was asked for while another failed stays due', async () => {
      const owner = newOwner();
      await templates().askForSync(owner, noon);
      await templates().askForSync(owner, noon + 10);
      await templates().syncFailed({ ...owner, dueAt: noon }, null);
      expect(await templates().sync(owner)).toMatchObject({ dueAt: noon + 10, failures: 1 });
    });

    test('one that is asked for while another is intended is due once that is taken back', async () => {
      const owners = Array.from({ length: 20 }, newOwner);
      const at = noon + 60_000;
      await Promise.all(
        owners.map(async (owner) => {
          await templates().synced(owner, { changed: [], goneIds: [] }, noon, noon + dayMs);
          const [before] = await Promise.all([
            templates().intendSync(owner, at),
            templates().askForSync(owner, noon + 10),
          ]);
          await templates().forgetSync(owner, { at, before });
        }),
      );
      const due = await Promise.all(owners.map(async (owner) => (await templates().sync(owner))?.dueAt));
      expect(new Set(due)).toEqual(new Set([noon + 10]));
    });

    test('the first one that is intended stays, so that others follow it', async () => {
      const owner = newOwner();
      const at = noon + 60_000;
      const before = await templates().intendSync(owner, at);
      await templates().synced(owner, { changed: [], goneIds: [] }, noon, noon + dayMs);
      await templates().forgetSync(owner, { at, before });
      expect((await templates().sync(owner))?.dueAt).toBe(at);
    });

    test('due ones are found, the longest due first', async () => {
      const [one, two, three] = [newOwner(), newOwner(), newOwner()];
      await templates().askForSync(one, 20);
      await templates().askForSync(two, 10);
      await templates().askForSync(three, 30);
      const due = await templates().dueSyncs({ from: 0, upTo: 25 }, 10);
      expect(due.map(({ accountId }) => accountId)).toEqual([two.accountId, one.accountId]);
      expect(await templates().dueSyncs({ from: 0, upTo: 25 }, 1)).toHaveLength(1);
      expect(await templates().dueSyncs({ from: 20, upTo: 25 }, 10)).toMatchObject([one]);
    });

    const status = (word: string, reason: string | null = null) => ({ status: word, reason });

    test('a webhook reaches every account on the business account, and the result says who has the template', async () => {
      const owner = newOwner();
      const other = { ...owner, accountId: newId() };
      const [mine, theirs] = [await put(owner), await put(other)];
      const { businessAccountId, upstreamId } = mine;
      const told = { businessAccountId, upstreamId, at: noon, change: status('REJECTED', 'SCAM') };
      const known = await templates().apply(told, noon + 1);
      expect(known.toSorted()).toEqual([owner.accountId, other.accountId].toSorted());
      const after = { ...mine, status: 'REJECTED', rejectedReason: 'SCAM' };
      expect(await templates().byId(owner, mine.id)).toEqual(after);
      expect((await templates().byId(other, theirs.id))?.status).toBe('REJECTED');
      expect(await templates().apply({ ...told, upstreamId: '7' }, noon + 1)).toEqual([]);
    });

    test("one that is older by upstream's time does not undo a newer status", async () => {
      const owner = newOwner();
      const { id, businessAccountId, upstreamId } = await put(owner);
      const tell = (word: string, at: number) =>
        templates().apply({ businessAccountId, upstreamId, at, change: status(word) }, noon + 1);
      await tell('PAUSED', noon + 20);
      await tell('APPROVED', noon + 10);
      expect((await templates().byId(owner, id))?.status).toBe('PAUSED');
      await tell('APPROVED', noon + 20);
      expect(await templates().byId(owner, id)).toMatchObject({ status: 'APPROVED', rejectedReason: null });
    });

    test('one from before an edit does not undo it, one of its second does; who may have another status is no result', async () => {
      const owner = newOwner();
      const { id, businessAccountId, upstreamId } = await put(owner, noon - 10_000);
      const tell = (at: number) =>
        templates().apply({ businessAccountId, upstreamId, at, change: status('APPROVED') }, noon + 5_000);
      const edit = { status: 'PENDING', category: 'UTILITY', components: [] };
      await templates().edited(owner, id, edit, noon + 1_500);
      expect(await tell(noon + 1_499)).toEqual([]);
      expect((await templates().byId(owner, id))?.status).toBe('PENDING');
      // Upstream counts in seconds: this one may be from after the edit.
      expect(await tell(noon + 1_000)).toEqual([owner.accountId]);
      expect((await templates().byId(owner, id))?.status).toBe('APPROVED');
      expect(await tell(noon + 1_000)).toEqual([]);
    });

    test('one about category or quality changes only that', async () => {
      const owner = newOwner();
      const template = await put(owner);
      const named = { businessAccountId: owner.businessAccountId, upstreamId: template.upstreamId, at: 0 };
      await templates().apply({ ...named, change: { category: 'MARKETING' } }, noon + 1);
      await templates().apply({ ...named, change: { quality: 'RED' } }, noon + 2);
      const after = { ...template, category: 'MARKETING', quality: 'RED' };
      expect(await templates().byId(owner, template.id)).toEqual(after);
    });

    test('one about a deletion removes the template, and the deletion is remembered', async () => {
      const owner = newOwner();
      const { businessAccountId, upstreamId } = await put(owner);
      const told = { businessAccountId, upstreamId, at: noon, change: status('PENDING_DELETION') };
      await templates().apply(told, noon + 1);
      expect(await listed(owner)).toEqual([]);
      const again = { ...told, change: status('DELETED') };
      expect(await templates().apply(again, noon + 2)).toEqual([owner.accountId]);
    });

    test('a sync that started before a webhook does not undo it', async () => {
      const owner = newOwner();
      const template = await put(owner);
      const { businessAccountId, upstreamId } = template;
      const told = { businessAccountId, upstreamId, at: 5, change: status('APPROVED') };
      await templates().apply(told, noon + 10);
      await templates().synced(owner, { changed: [template], goneIds: [] }, noon + 9, noon + dayMs);
      expect((await templates().byId(owner, template.id))?.status).toBe('APPROVED');
    });
  });
}

export function describeTemplateLimits(name: string, open: Open): void {
  describe(`${name}: counters of upstream's limits on templates [spec: Limits]`, () => {
    const store = withStore(open);
    const limits = () => store.current.stores.templateLimits;
    const hourly = [{ ms: 3_600_000, max: 3 }];
    const use = (at: number) => ({ id: newId(), at });

    test('a use is counted until a window is full; then the result says when it is free again', async () => {
      const key = newId();
      for (const at of [0, 10, 20]) expect(await limits().take(key, use(at), hourly)).toBeNull();
      expect(await limits().take(key, use(30), hourly)).toBe(3_600_000);
      expect(await limits().take(newId(), use(30), hourly)).toBeNull();
      expect(await limits().take(key, use(3_600_000), hourly)).toBeNull();
      expect(await limits().take(key, use(3_600_001), hourly)).toBe(3_600_010);
    });

    test('of concurrent uses exactly as many are accepted as the window allows', async () => {
      const key = newId();
      const taken = await Promise.all(
        Array.from({ length: 20 }, () => limits().take(key, use(noon), [{ ms: 1_000, max: 7 }])),
      );
      expect(taken.filter((free) => free === null)).toHaveLength(7);
      expect(new Set(taken)).toEqual(new Set([null, noon + 1_000]));
    });

    test('a use that is given back makes room; the last use is returned', async () => {
      const key = newId();
      const [first, second] = [use(1), use(2)];
      expect(await limits().lastUse(key)).toBeNull();
      await limits().take(key, first, [{ ms: 100, max: 2 }]);
      await limits().take(key, second, [{ ms: 100, max: 2 }]);
      expect(await limits().lastUse(key)).toBe(2);
      await limits().giveBack(key, second.id);
      await limits().giveBack(key, second.id);
      await limits().giveBack(newId(), second.id);
      expect(await limits().lastUse(key)).toBe(1);
      expect(await limits().take(key, use(3), [{ ms: 100, max: 2 }])).toBeNull();
    });

    test('without windows only the last use is kept', async () => {
      const key = newId();
      await limits().take(key, use(5), []);
      expect(await limits().take(key, use(6), [])).toBeNull();
      expect(await limits().lastUse(key)).toBe(6);
    });

    test('counters that were not used for long are erased', async () => {
      const [old, young] = [newId(), newId()];
      await limits().take(old, use(noon - dayMs), []);
      await limits().take(young, use(noon), []);
      expect(await limits().dropOlder(noon, AbortSignal.abort())).toBe(0);
      expect(await limits().lastUse(old)).toBe(noon - dayMs);
      await limits().dropOlder(noon);
      expect([await limits().lastUse(old), await limits().lastUse(young)]).toEqual([null, noon]);
    });
  });
}

async function putTemplate(
  templates: Pick<TemplateStore, 'put'>,
  over: Partial<Template>,
  now = noon,
): Promise<Template> {
  const template = aTemplate(over);
  await templates.put(template, now);
  return template;
}
