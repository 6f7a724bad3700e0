/**
 * Dialogs that did not open, as users of comparable services met them in 2025 and 2026: the person is redirected with a number and a text
 * (`error_code`, `error_message`) in place of OAuth's `error`, and mostly without `state`: the app in development, its login switched off, an address
 * that is not listed. It was taken for the person's refusal, or for an address that is incomplete. [upstream §2.1 step 2; faults: 590]
 */
import { afterEach, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { allowRedirect, endParameters, home, setupUrl } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { follow, newAccount } from '../support/world.ts';

const world = sharedWorld();
afterEach(() => world.simulator.control('settings', { login_for_business: false, dialog_refusals: 'page' }));

async function begun(dialogRefusals: string): Promise<string> {
  const { key } = await newAccount(world.service);
  await allowRedirect(world.service, key);
  await world.simulator.control('settings', { login_for_business: true, dialog_refusals: dialogRefusals });
  return (await setupUrl(world.service, key, 'pagechat')).body.setup_url;
}

test('with its state: the client learns that the app is refused, not that the person declined', async () => {
  const end = await follow(await begun('redirect_with_state'), home);
  expect(endParameters(end)).toEqual({
    error: 'unauthorized_client',
    error_description:
      'The platform does not allow this service to ask for the connection; whoever runs the service must look at its app there.',
  });
});

test('without it: a page says so', async () => {
  const dialog = (await call('GET', await begun('redirect'))).headers.get('location') ?? '';
  const refused = (await call('GET', dialog)).headers.get('location') ?? '';
  expect(refused).toMatch(/\/setup\/callback\?error_code=1349220&error_message=/);
  const { status, text } = await call('GET', refused);
  expect([status, text.includes('The platform refused to open its dialog')]).toEqual([400, true]);
  expect(text).not.toContain('Feature Unavailable');
});

test('the setup URL stays open: once the app is mended, the same link connects', async () => {
  const link = await begun('redirect_with_state');
  await follow(link, home);
  await world.simulator.control('settings', { login_for_business: false });
  await world.simulator.control('dialog', { auto: 'allow', assets: ['520000000000005'], times: 1 });
  expect(endParameters(await follow(link, home))).toEqual({ code: expect.any(String) });
});
