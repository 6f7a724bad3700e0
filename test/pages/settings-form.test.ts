/** The portal's form of a channel's settings, from the table of them: each has a control, and what is saved is shown again. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newBusiness } from '../support/setup.ts';
import { bare, settingRows } from '../support/settings.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { cameBack, connectedAt, newVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const world = sharedWorld();

let visitor: Visitor;
let channel: string;
beforeAll(async () => {
  visitor = await newVisitor(world);
  const { pages } = await newBusiness(world.simulator);
  await world.simulator.control('dialog', { auto: 'allow', times: 1, assets: [pages[0]?.id ?? ''] });
  const begun = await visitor.post('/portal/channels/connect', { channel_type: 'pagechat' });
  const { location } = await cameBack(world, visitor, begun.location);
  channel = connectedAt(location);
});

/** The secret has a page of its own. */
const rows = settingRows.filter(({ given }) => bare(given) !== 'webhook_secret');

/** What a person types for these values. */
const typed = (value: 'next' | 'atFirst'): Record<string, string> =>
  Object.fromEntries(
    rows.flatMap((row): [string, string][] => {
      const each = row[value];
      if (Array.isArray(each)) return each.map((event) => [`event:${event}`, 'on']);
      if (Array.isArray(row.next)) return []; // no box is checked
      if (typeof each === 'boolean') return each ? [[bare(row.given), 'on']] : [];
      return [[bare(row.given), each === null ? '' : String(each)]];
    }),
  );

/** What the form on the page would send, if nobody changed it. */
function formIn(text: string): Record<string, string> {
  const [form = ''] = /<form[^>]*\/webhook"[^]*?<\/form>/.exec(text) ?? [];
  const inputs = [...form.matchAll(/<input([^>]*)>/g)].map(([, inside = '']) => inside);
  const of = (inside: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(inside)?.[1];
  const sent = inputs.filter((inside) => of(inside, 'type') !== 'checkbox' || / checked/.test(inside));
  const fields = sent.map((inside) => {
    const value = of(inside, 'type') === 'checkbox' ? 'on' : (of(inside, 'value') ?? '');
    return [of(inside, 'name') ?? '', value] as const;
  });
  return Object.fromEntries(fields.filter(([name]) => name !== 'csrf'));
}

/** Its fields without those that tell what it was rendered with. */
function seenIn(text: string): Record<string, string> {
  return Object.fromEntries(Object.entries(formIn(text)).filter(([name]) => !name.startsWith('was:')));
}

test.each(['next', 'atFirst'] as const)('what is typed is saved and shown again: %s', async (value) => {
  const saved = await visitor.post(`${channel}/webhook`, typed(value));
  expect(saved.status).toBe(302);
  expect(seenIn((await visitor.ask(`${channel}/webhook`)).text)).toEqual(typed(value));
});

test('a form that is refused keeps everything that was typed, and names the limit of the API', async () => {
  const wrong = { ...typed('next'), failed_retention_days: '31' };
  const { status, text } = await visitor.post(`${channel}/webhook`, wrong);
  expect([status, seenIn(text)]).toEqual([422, wrong]);
  expect(/id="failed_retention_days-wrong"[^>]*>([^<]*)/.exec(text)?.[1]).toBe('Must be at most 30.');
});

test.each(['7.5', 'x', '-1'])('%s days are refused', async (failed_retention_days) => {
  const { status } = await visitor.post(`${channel}/webhook`, { ...typed('next'), failed_retention_days });
  expect(status).toBe(422);
});

test('a field that the form lacks, as one of an earlier release may, leaves its setting as it is', async () => {
  await visitor.post(`${channel}/webhook`, typed('next'));
  const { webhook_url: _url, failed_retention_days: _days, ...less } = typed('next');
  expect((await visitor.post(`${channel}/webhook`, less)).status).toBe(302);
  expect(seenIn((await visitor.ask(`${channel}/webhook`)).text)).toEqual(typed('next'));
});

describe('two tabs', () => {
  /** The form as a tab has rendered it. */
  const opened = async () => formIn((await visitor.ask(`${channel}/webhook`)).text);
  const stored = async () => seenIn((await visitor.ask(`${channel}/webhook`)).text);
  const save = (form: Record<string, string>) => visitor.post(`${channel}/webhook`, form);
  beforeEach(() => save(typed('next')));

  test('that change different fields both keep what they saved', async () => {
    const [first, second] = [await opened(), await opened()];
    const { 'event:message.read': _off, ...others } = first;
    expect((await save({ ...others, webhook_url: 'https://first.example.com/' })).status).toBe(302);
    expect((await save({ ...second, failed_retention_days: '3' })).status).toBe(302);
    const { 'event:message.read': _gone, ...next } = typed('next');
    expect(await stored()).toEqual({
      ...next,
      webhook_url: 'https://first.example.com/',
      failed_retention_days: '3',
    });
  });

  test('that change the same field: the second is told, and replaces it when it saves again', async () => {
    const [first, second] = [await opened(), await opened()];
    await save({ ...first, webhook_url: 'https://first.example.com/', failed_retention_days: '3' });
    const told = await save({ ...second, webhook_url: 'https://second.example.com/' });
    expect(told.status).toBe(409);
    expect(told.text).toContain(
      'Changed elsewhere since you opened this page: Address of your receiver. Nothing was saved: save again to replace it.',
    );
    expect(seenIn(told.text)).toEqual({
      ...typed('next'),
      webhook_url: 'https://second.example.com/',
      failed_retention_days: '3',
    });
    expect((await stored())['webhook_url']).toBe('https://first.example.com/');
    expect((await save(formIn(told.text))).status).toBe(302);
    expect(await stored()).toMatchObject({
      webhook_url: 'https://second.example.com/',
      failed_retention_days: '3',
    });
  });

  test('a form that was refused for another reason still notices', async () => {
    const second = await opened();
    await save({ ...(await opened()), webhook_url: 'https://first.example.com/' });
    const wrong = { ...second, webhook_url: 'https://second.example.com/', failed_retention_days: '31' };
    const refused = await save(wrong);
    expect(refused.status).toBe(422);
    expect((await save({ ...formIn(refused.text), failed_retention_days: '7' })).status).toBe(409);
  });
});

describe('a test event', () => {
  test('goes to the address that is typed, which stays typed and is not stored', async () => {
    await visitor.post(`${channel}/webhook`, typed('next'));
    const edited = {
      ...formIn((await visitor.ask(`${channel}/webhook`)).text),
      webhook_url: `${world.inbox.url}?token=1`,
      failed_retention_days: '5',
    };
    const before = world.inbox.arrivals.length;
    const { status, text } = await visitor.post(`${channel}/test`, edited);
    expect([status, formIn(text)]).toEqual([200, edited]);
    const [arrival] = await world.inbox.next(before + 1).then((all) => all.slice(before));
    expect(arrival?.event.event).toBe('webhook.test');
    expect(text).toContain('Your receiver took the test event');
    expect(text).toContain(`Tested: <code>${world.inbox.url}?token=…</code>, which is not saved.`);
    expect(seenIn((await visitor.ask(`${channel}/webhook`)).text)).toEqual(typed('next'));
  });

  test('is not sent to an address that could not be saved', async () => {
    const edited = {
      ...formIn((await visitor.ask(`${channel}/webhook`)).text),
      webhook_url: 'ftp://a.example.com',
    };
    const { status, text } = await visitor.post(`${channel}/test`, edited);
    expect([status, seenIn(text)['webhook_url']]).toEqual([422, 'ftp://a.example.com']);
    expect(text).toContain('id="webhook_url-wrong"');
  });

  test.each([
    ['https://no-such-name.invalid/', () => '', 'Its name has no public address: is it spelled right'],
    ['a closed port', () => 'http://127.0.0.1:9/', 'The connection was refused: nothing listens'],
    ['https to a plain port', () => world.inbox.url.replace('http:', 'https:'), 'It answered without TLS'],
  ])('that fails says why, and what to check: %s', async (name, url, why) => {
    const edited = { ...formIn((await visitor.ask(`${channel}/webhook`)).text), webhook_url: url() || name };
    const { text } = await visitor.post(`${channel}/test`, edited);
    expect(text).toContain('no answer');
    expect(text).toContain(why);
  });

  test('without an address says what is missing', async () => {
    const edited = { ...formIn((await visitor.ask(`${channel}/webhook`)).text), webhook_url: '' };
    const { text } = await visitor.post(`${channel}/test`, edited);
    expect(text).toContain('Type the address of your receiver first.');
  });
});
