/** [spec: Connecting a channel; operator-interface §4: setup] A setup flow that is started again, and what an unexchanged code holds. */
import { describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import {
  allowRedirect,
  codeIn,
  connectOwnAsset,
  endParameters,
  exchange,
  freshCode,
  home,
  newBusiness,
  setupUrl,
  walkSetup,
} from '../support/setup.ts';
import type { Dialog } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { choose, follow, newAccount } from '../support/world.ts';
import type { Account } from '../support/world.ts';

const world = sharedWorld();

async function started(): Promise<{ account: Account; url: string; page: string }> {
  const account = await newAccount(world.service);
  await allowRedirect(world.service, account.key);
  const [{ pages }, { body }] = await Promise.all([
    newBusiness(world.simulator),
    setupUrl(world.service, account.key, 'pagechat'),
  ]);
  return { account, url: body.setup_url, page: pages[0]?.id ?? '' };
}

/** The URL at which a person ends who opens the setup URL and does this in the dialog. */
async function through(url: string, dialog: Dialog): Promise<URL> {
  await world.simulator.control('dialog', { auto: 'allow', times: 1, ...dialog });
  return follow(url, home);
}

async function atChoice(url: string): Promise<string> {
  const { pages } = await newBusiness(world.simulator, { pages: 2 });
  await world.simulator.control('dialog', { auto: 'allow', times: 1, assets: pages.map(({ id }) => id) });
  for (let location = url; ;) {
    const next = (await call('GET', location)).headers.get('location');
    if (next === null) return location;
    location = next;
  }
}

const firstOffer = async (location: string): Promise<string> =>
  /name="asset" value="([^"]+)"/.exec((await call('GET', location)).text)?.[1] ?? '';

describe('the setup URL opens the dialog again until a code has been issued', () => {
  const ends: [string, Dialog, string][] = [
    ['somebody declined', { auto: 'deny' }, 'access_denied'],
    ['a needed permission was declined', { decline: ['pages_messaging'] }, 'access_denied'],
    ['nothing was picked', { assets: ['422300000000002'] }, 'nothing_picked'],
  ];
  test.each(ends)('after %s', async (_when, dialog, error) => {
    const { account, url, page } = await started();
    expect(endParameters(await through(url, { assets: [page], ...dialog }))).toMatchObject({ error });
    const code = codeIn(await through(url, { assets: [page] }));
    expect((await exchange(world.service, account.key, code)).status).toBe(200);
    expect((await call('GET', url)).status).toBe(404);
  });

  test('after a person left the page of choices, a code from another run of the setup flow voids that choice', async () => {
    const { url, page } = await started();
    const choice = await atChoice(url);
    const offered = await firstOffer(choice);
    codeIn(await through(url, { assets: [page] }));
    expect((await choose(choice, offered)).status).toBe(410);
  });

  test('after a person has chosen, it does not: of two concurrent choices one gets the code', async () => {
    const { url } = await started();
    const choices = [await atChoice(url), await atChoice(url)];
    const answers = await Promise.all(choices.map(async (each) => choose(each, await firstOffer(each))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([302, 410]);
    expect((await call('GET', url)).status).toBe(404);
  });
});

test('an own channel without a licence is bound to a free slot, with its id and settings', async () => {
  const { account, channel, asset } = await connectOwnAsset(world, 'pagechat');
  const read = async () =>
    (await world.service.call('GET', `/api/v1/channels/${channel.id}`, { key: account.key })).body;
  const before = await read();
  await world.service.admin('PATCH', `/channels/${channel.id}`, { subscription_id: null });
  const code = codeIn(await walkSetup(world, account.key, 'pagechat', { assets: [asset] }));
  const { status, body } = await exchange(world.service, account.key, code);
  expect([status, body.channel_id]).toEqual([200, channel.id]);
  expect(await read()).toEqual({ ...before, is_active: true, connected_at: expect.any(String) });
});

test('available_slots does not count a slot that an unexchanged code holds', async () => {
  const { key, code } = await freshCode(world);
  const free = async () =>
    (await world.service.call('GET', '/api/v1/subscriptions', { key })).body.available_slots.pagechat.total;
  expect(await free()).toBe(0);
  expect((await exchange(world.service, key, code)).status).toBe(200);
  expect(await free()).toBe(0);
});

test('any live key of the account that started the flow may exchange the code', async () => {
  const { account, url, page } = await started();
  const code = codeIn(await through(url, { assets: [page] }));
  const other = await world.service.admin('POST', `/accounts/${account.accountId}/keys`);
  await world.service.admin('DELETE', `/keys/${account.apiKeyId}`);
  expect((await exchange(world.service, account.key, code)).status).toBe(401);
  expect((await exchange(world.service, other.body.api_key, code)).status).toBe(200);
});

describe('a channel that is reconnected', () => {
  const receiver = 'https://hooks.example.com/new';
  test.each([
    ['without webhook settings keeps those it had', {}, ['message.received']],
    ['with a webhook_url and no webhook_events has none', { webhook_url: receiver }, null],
    [
      'with both has what was given',
      { webhook_url: receiver, webhook_events: ['message.read'] },
      ['message.read'],
    ],
  ])('%s', async (_name, settings, events) => {
    const { account, channel, asset } = await connectOwnAsset(world, 'pagechat');
    const path = `/api/v1/channels/${channel.id}`;
    const { key } = account;
    const had = { webhook_url: 'https://hooks.example.com/old', webhook_events: ['message.received'] };
    await world.service.call('PATCH', path, { key, body: had });
    await world.service.call('DELETE', path, { key });
    const code = codeIn(await walkSetup(world, key, 'pagechat', { assets: [asset] }));
    expect((await exchange(world.service, key, code, settings)).status).toBe(200);
    const { body } = await world.service.call('GET', path, { key });
    const { webhook_url: url } = { ...had, ...settings };
    expect([body.webhook_url, body.webhook_events]).toEqual([url, events]);
  });
});
