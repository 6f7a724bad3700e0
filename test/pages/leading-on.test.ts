/** A signed-in person is led on: from a page that cannot be shown, and from sign-in forms. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/kernel/ids.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { invited, newVisitor, Visitor } from './visitor.ts';

const world = sharedWorld();
let visitor: Visitor & { email: string };
beforeAll(async () => {
  visitor = await newVisitor(world);
});

describe('a page that cannot be shown has the navigation', () => {
  const place = (path: string): string => `<a href="${path}" aria-current="page">`;

  test.each([
    ['/portal/channels/none-such', '/portal/channels'],
    ['/portal/channels/none-such/deliveries/none-such', '/portal/channels'],
    [`/portal/messages?channel=${newId()}`, '/portal/messages'],
    ['/portal/people/none-such', '/portal/people'],
    ['/portal/none-such', '/portal'],
  ])('%s: not found, and a link back to %s', async (path, back) => {
    const { status, text } = await visitor.ask(path);
    expect([status, text]).toEqual([404, expect.stringContaining('There is nothing here')]);
    expect(text).toContain(place(back));
    expect(text).toContain(`<a class="button" href="${back}">`);
  });

  test('an outdated form', async () => {
    const { status, text } = await visitor.ask('/portal/keys', { csrf: 'old', name: 'x' });
    expect([status, text]).toEqual([400, expect.stringContaining('This could not be done')]);
    expect(text).toContain(place('/portal/keys'));
  });

  test('a form that was opened before another person signed in in this browser [faults: 563]', async () => {
    const form = { csrf: visitor.csrf, name: 'of the first' };
    const other = await newVisitor(world);
    const { status, text } = await other.ask('/portal/keys', form);
    expect([status, text]).toEqual([400, expect.stringContaining('somebody has signed in in this browser')]);
    for (const each of [visitor, other])
      expect((await each.ask('/portal/keys')).text).not.toContain('of the first');
  });

  test('a form that is larger than forms may be', async () => {
    const { status, text } = await visitor.post('/portal/keys', { name: 'x'.repeat(70_000) });
    expect([status, text]).toEqual([413, expect.stringContaining('That was too large')]);
    expect(text).toContain(place('/portal/keys'));
  });

  test('a page that the role may not see', async () => {
    const viewer = await invited(world, visitor, 'viewer');
    const { status, text } = await viewer.ask('/portal/audit');
    expect([status, text]).toEqual([403, expect.stringContaining('Not for your role')]);
    expect(text).toContain('<nav aria-label="Portal">');
  });
});

describe('a sign-in form', () => {
  test.each([
    ['/portal/sign-in', '/portal'],
    ['/portal/sign-in?next=%2Fportal%2Fkeys', '/portal/keys'],
    ['/portal/sign-in?next=%2F%2Felsewhere.example', '/portal'],
    ['/portal/sign-up', '/portal'],
  ])('%s redirects a signed-in person to %s', async (path, to) => {
    expect((await visitor.ask(path)).location).toBe(to);
  });

  test('warns a person whose form was not done, because the session had ended', async () => {
    const { text } = await new Visitor(world).ask('/portal/sign-in?ended');
    expect(text).toMatch(/class="toast warns"[^>]*><svg[^>]*><use href="#icon-warning">/);
  });

  test('is shown to a person without a session, or whose session has ended', async () => {
    const other = await newVisitor(world);
    const kept = other.cookies.get('trunkline_session') ?? '';
    await other.post('/portal/sign-out');
    for (const path of ['/portal/sign-in', '/portal/sign-up'])
      expect([path, (await other.ask(path)).status]).toEqual([path, 200]);
    other.cookies.set('trunkline_session', kept);
    expect((await other.ask('/portal/sign-in')).status).toBe(200);
  });
});
