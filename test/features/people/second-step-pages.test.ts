/** The pages of the second step of signing in, as a browser without scripts uses them. */
import { expect, test } from '@jest/globals';
import { TOTP } from 'otpauth';
import { password } from '../../pages/browsing.ts';
import { newVisitor, Visitor } from '../../pages/visitor.ts';
import { sharedWorld } from '../../support/shared-world.ts';

const world = sharedWorld();
const path = '/portal/account/second-step';
const fieldIn = (page: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';

test('switched on from the page, asked for at the next sign-in, and switched off', async () => {
  const owner = await newVisitor(world);
  const page = (await owner.ask(path)).text;
  expect(page).toContain('<svg class="qr" role="img"');
  const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(page)?.[1] ?? '';
  const offer = fieldIn(page, 'offer');
  const code = (shift: number): string => new TOTP({ secret }).generate({ timestamp: Date.now() + shift });

  const wrong = await owner.post(path, { offer, code: '000000', password });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain(secret);

  expect((await owner.post(path, { offer, code: code(-30_000), password })).location).toBe(`${path}/codes`);
  const codes = (await owner.ask(`${path}/codes`)).text;
  const [recovery = ''] = /([A-Z2-7]{4}-){3}[A-Z2-7]{4}/.exec(codes) ?? [];
  expect((await owner.ask(`${path}/codes`)).location).toBe(path);
  expect((await owner.ask('/portal/people')).text).toContain('>on<');

  const browser = new Visitor(world);
  await browser.ask('/portal/sign-in');
  const asked = await browser.post('/portal/sign-in', { email: owner.email, password, next: '/portal/keys' });
  expect(asked.location).toBe('/portal/sign-in/code?next=%2Fportal%2Fkeys');
  expect((await browser.ask('/portal/keys')).location).toContain('/portal/sign-in');
  expect((await browser.ask(asked.location ?? '')).text).toContain('name="next" value="/portal/keys"');
  expect((await browser.post('/portal/sign-in/code', { code: '123' })).status).toBe(422);
  const given = await browser.post('/portal/sign-in/code', { code: recovery, next: '/portal/keys' });
  expect(given.location).toBe('/portal/keys');
  expect((await browser.ask('/portal/keys')).status).toBe(200);
  expect((await browser.ask(path)).text).toContain('9 recovery codes are left');

  expect((await browser.post(`${path}/off`, { password: 'wrong password' })).status).toBe(422);
  expect((await browser.post(`${path}/off`, { password })).location).toBe('/portal/account?one-step');
  const again = new Visitor(world);
  await again.ask('/portal/sign-in');
  expect((await again.post('/portal/sign-in', { email: owner.email, password })).location).toBe('/portal');
});

test('without a password that was right the form for the code leads to sign-in', async () => {
  const browser = new Visitor(world);
  expect((await browser.ask('/portal/sign-in/code')).location).toBe('/portal/sign-in');
  await browser.ask('/portal/sign-in');
  expect((await browser.post('/portal/sign-in/code', { code: '123456' })).location).toBe('/portal/sign-in');
  browser.cookies.set('trunkline_step', 'x'.repeat(43));
  expect((await browser.post('/portal/sign-in/code', { code: '123456' })).location).toBe('/portal/sign-in');
});
