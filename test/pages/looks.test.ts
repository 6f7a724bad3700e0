/** [portal: how it looks] What every page has: masked tokens in compressed pages, and times in the zone of the person. */
import { describe, expect, test } from '@jest/globals';
import { maskToken, unmaskToken } from '../../src/pages/forms/mask.ts';
import { zoneIn } from '../../src/pages/zone.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const world = sharedWorld();

/** As a browser gets it. */
async function pageOf({ cookies }: Visitor): Promise<string> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return (await fetch(`${world.service.url}/portal/keys`, { headers: { cookie } })).text();
}

const tokensIn = (text: string): string[] =>
  [...text.matchAll(/name="csrf" value="([^"]*)"/g)].map(([, token = '']) => token);

describe('the token of a form [faults: 360]', () => {
  test('is written differently in each form and page, and each is accepted', async () => {
    const visitor = await newVisitor(world);
    const [once, again] = [await pageOf(visitor), await pageOf(visitor)];
    const tokens = [...tokensIn(once), ...tokensIn(again)];
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(once).not.toContain(visitor.csrf);
    for (const csrf of [tokensIn(once).at(-1) ?? '', tokensIn(again).at(-1) ?? ''])
      expect((await visitor.ask('/portal/keys', { csrf, name: 'shop', scope: 'admin' })).status).toBe(302);
  });

  test('of another session is refused', async () => {
    const [visitor, other] = [await newVisitor(world), await newVisitor(world)];
    const [csrf = ''] = tokensIn(await pageOf(other));
    expect((await visitor.ask('/portal/keys', { csrf, name: 'shop', scope: 'admin' })).status).toBe(400);
  });

  test('is found again under any mask, and no other text becomes one', () => {
    expect(unmaskToken(maskToken('a token'))).toBe('a token');
    expect(['', 'x', 'xx', '%%%', 'a token'].map(unmaskToken)).not.toContain('a token');
  });
});

test.each([
  ['br', 'gzip, br'],
  ['gzip', 'gzip;q=0.5, br;q=0'],
  [null, 'identity'],
])('a page is compressed as the browser accepts it: %s', async (coding, accepts) => {
  const headers = { 'accept-encoding': accepts };
  const answer = await fetch(`${world.service.url}/portal/sign-in`, { headers });
  const found = ['content-encoding', 'vary'].map((name) => answer.headers.get(name));
  expect(found).toEqual([coding, 'Accept-Encoding']);
  const [sent, text] = [Number(answer.headers.get('content-length')), await answer.text()];
  expect(text).toContain('<h1>Sign in</h1>');
  expect(sent < text.length).toBe(coding !== null);
});

describe('the zone of the person', () => {
  const zoneOf = (cookie: string) => zoneIn({ headers: { cookie } });
  const newYear = Date.parse('2026-12-31T23:30:05Z');

  test.each([
    ['trunkline_zone=Europe/Berlin', 'Europe/Berlin', '1 Jan 2027, 00:30:05'],
    ['a=b; trunkline_zone=America/Argentina/Ushuaia; c=d', 'America/Argentina/Ushuaia', '31 Dec, 20:30:05'],
    ['trunkline_zone=Etc/GMT-3', 'Etc/GMT-3', '1 Jan 2027, 02:30:05'],
    ['', 'UTC', '31 Dec, 23:30:05'],
    ['trunkline_zone=Atlantis', 'UTC', '31 Dec, 23:30:05'],
    ['trunkline_zone=<script>', 'UTC', '31 Dec, 23:30:05'],
    [`trunkline_zone=${'a/'.repeat(5_000)}`, 'UTC', '31 Dec, 23:30:05'],
  ])('%.40s', (cookie, name, written) => {
    const zone = zoneOf(cookie);
    expect([zone.name, zone.write(newYear, newYear - 86_400_000)]).toEqual([name, written]);
  });

  test('is said once on a page, and the times are in it', async () => {
    const visitor = await newVisitor(world);
    await visitor.post('/portal/keys', { name: 'shop', scope: 'admin' });
    visitor.cookies.set('trunkline_zone', 'Asia/Kathmandu');
    const { text } = await visitor.ask('/portal/keys');
    expect(text.match(/Times in Asia\/Kathmandu/g)).toHaveLength(1);
    const [, iso = '', shown = ''] = /<time datetime="([^"]+)"[^>]*>([^<]+)</.exec(text) ?? [];
    expect(shown).toBe(zoneOf('trunkline_zone=Asia/Kathmandu').write(Date.parse(iso), Date.parse(iso)));
    expect(shown).toMatch(/^\d+ \w{3}, \d\d:\d\d:\d\d$/);
  });
});
