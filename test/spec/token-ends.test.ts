/** [upstream §1.2; faults: 243] A channel of a sign-up whose tokens live for 60 days. */
import { beforeAll, expect, test } from '@jest/globals';
import { newPerson } from '../support/sends.ts';
import { connectOwnAsset } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';

const sixtyDaysMs = 60 * 86_400_000;

/** A token is renewed from two seconds after it was made. */
const world = sharedWorld({
  HEALTH_CHECK_INTERVAL_MS: '200',
  TOKEN_RENEW_BEFORE_MS: String(sixtyDaysMs - 2_000),
  UPSTREAM_SIGNUP_CONFIG_ID: 'sixty-days',
});
beforeAll(async () => {
  const permissions = ['whatsapp_business_management', 'whatsapp_business_messaging'];
  const configuration = { id: 'sixty-days', purpose: 'signup', token: 'system', days: 60, permissions };
  await world.simulator.control('settings', { login_configurations: [configuration] });
});

test('the end of its token is told, and the token is replaced in time; the channel sends with the new one', async () => {
  const { channel } = await connectOwnAsset(world, 'chatapp');
  const path = `/api/v1/channels/${channel.id}/health`;
  const health = async () => (await world.service.call('GET', path, { key: channel.key })).body;
  const first = Date.parse((await health()).token_expires_at);
  expect(Math.round((first - Date.now()) / 86_400_000)).toBe(60);
  await until('another token', async () => Date.parse((await health()).token_expires_at) > first);
  expect((await health()).problems).toEqual([]);
  const answer = await world.send(channel, 'with the new token', newPerson('chatapp'));
  expect([answer.status, answer.body.status]).toEqual([200, 'sent']);
});
