/** The portal's form of a channel's settings, from the table of them: each has a control, and what is saved is shown again. */
import { beforeAll, expect, test } from '@jest/globals';
import { newBusiness } from '../support/setup.ts';
import { bare, settingRows } from '../support/settings.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { cameBack, newVisitor } from './visitor.ts';
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
  channel = (location ?? '').replace('?connected', '');
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

test.each(['next', 'atFirst'] as const)('what is typed is saved and shown again: %s', async (value) => {
  const saved = await visitor.post(`${channel}/webhook`, typed(value));
  expect(saved.status).toBe(302);
  expect(formIn((await visitor.ask(channel)).text)).toEqual(typed(value));
});

test('a form that is refused keeps everything that was typed, and names the limit of the API', async () => {
  const wrong = { ...typed('next'), failed_retention_days: '31' };
  const { status, text } = await visitor.post(`${channel}/webhook`, wrong);
  expect([status, formIn(text)]).toEqual([422, wrong]);
  expect(/id="failed_retention_days-wrong"[^>]*>([^<]*)/.exec(text)?.[1]).toBe('Must be at most 30');
});

test.each(['7.5', 'x', '-1'])('%s days are refused', async (failed_retention_days) => {
  const { status } = await visitor.post(`${channel}/webhook`, { ...typed('next'), failed_retention_days });
  expect(status).toBe(422);
});

test('a field that the form lacks, as one of an earlier release may, leaves its setting as it is', async () => {
  await visitor.post(`${channel}/webhook`, typed('next'));
  const { webhook_url: _url, failed_retention_days: _days, ...less } = typed('next');
  expect((await visitor.post(`${channel}/webhook`, less)).status).toBe(302);
  expect(formIn((await visitor.ask(channel)).text)).toEqual(typed('next'));
});
