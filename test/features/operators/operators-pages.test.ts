/** [operator-interface §3; faults: 164] The console without a token, and the effect of each of its forms. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { operatorPages } from '../../../src/features/operators/pages/index.ts';
import { adminToken } from '../../support/service.ts';
import { connectOwnAsset, newBusiness } from '../../support/setup.ts';
import { until } from '../../support/until.ts';
import { sharedWorld } from '../../support/shared-world.ts';
import { asset, newAccount, World } from '../../support/world.ts';
import type { Account, Channel } from '../../support/world.ts';
import { cameBack, connectedAt, invited, newVisitor, Operator, Visitor } from '../../pages/visitor.ts';

const world = sharedWorld();
let operator: Operator;
beforeAll(async () => {
  operator = await entered();
});

async function entered(at: Pick<World, 'service'> = world): Promise<Operator> {
  const visitor = new Operator(at);
  await visitor.ask('/operators/enter');
  const answer = await visitor.post('/operators/enter', { token: adminToken });
  expect([answer.status, answer.location]).toEqual([302, '/operators']);
  return visitor;
}

const someId = crypto.randomUUID();
const pathOf = ({ path }: { path: string }): string => path.replaceAll(/\{\w+\}/g, someId);
const guarded = operatorPages.filter(({ path }) => path !== '/operators/enter');
const named = (method: string) =>
  guarded.filter((route) => route.method === method).map((route) => [route.path, route] as const);

describe('without a session', () => {
  test.each([...named('get'), ...named('post')])('%s redirects to the sign-in page', async (_path, route) => {
    const form = route.method === 'post' ? { csrf: 'x' } : undefined;
    const answer = await new Visitor(world).ask(pathOf(route), form);
    expect([answer.status, answer.location?.split('?')[0]]).toEqual([302, '/operators/enter']);
  });

  test('a session of the portal, or a made-up one, gives no access', async () => {
    const visitor = new Visitor(world);
    await visitor.ask('/portal/sign-up');
    await visitor.post('/portal/sign-up', { email: 'nosy@example.com', password: 'correct horse battery' });
    visitor.cookies.set('trunkline_operator', visitor.cookies.get('trunkline_session') ?? '');
    expect((await visitor.ask('/operators')).location).toBe('/operators/enter');
    visitor.cookies.set('trunkline_operator', 'm'.repeat(43));
    expect((await visitor.ask('/operators')).location).toBe('/operators/enter');
  });
});

describe('the sign-in page', () => {
  test('sets cookies for the console only, not for scripts or other sites, for an hour', async () => {
    const visitor = new Operator(world);
    const { set } = await visitor.ask('/operators/enter');
    expect(set).toEqual([
      expect.stringMatching(
        /^trunkline_operator_visit=[\w-]{43}; Path=\/operators; HttpOnly; SameSite=Strict; /,
      ),
    ]);
    const answer = await visitor.post('/operators/enter', { token: adminToken });
    expect(answer.set.find((each) => each.startsWith('trunkline_operator='))).toMatch(
      /^trunkline_operator=[\w-]{43}; Path=\/operators; HttpOnly; SameSite=Strict; Max-Age=(3600|3599)$/,
    );
  });

  test('answers a wrong token with 401 and no hint; a form without its CSRF token is refused', async () => {
    const visitor = new Operator(world);
    await visitor.ask('/operators/enter');
    const wrong = await visitor.post('/operators/enter', { token: `${adminToken}x` });
    expect([wrong.status, wrong.text.includes(adminToken)]).toEqual([401, false]);
    expect((await visitor.ask('/operators/enter', { csrf: 'x', token: adminToken })).status).toBe(400);
    expect(visitor.cookies.has('trunkline_operator')).toBe(false);
  });

  test.each([
    ['/operators/audit?actor=person', '/operators/audit?actor=person'],
    ['//evil.example.com', '/operators'],
    ['/portal', '/operators'],
    ['/operatorsx', '/operators'],
    ['/operators/../portal', '/operators'],
  ])('leads to the requested page, and to no other site: %s', async (next, expected) => {
    const visitor = new Operator(world);
    const { text } = await visitor.ask(`/operators/enter?next=${encodeURIComponent(next)}`);
    expect(text.includes('name="next"')).toBe(next === expected);
    const wrong = await visitor.post('/operators/enter', { token: 'wrong', next });
    expect(wrong.text.includes('name="next"')).toBe(next === expected);
    expect((await visitor.post('/operators/enter', { token: adminToken, next })).location).toBe(expected);
    const stranger = await new Visitor(world).ask('/operators/audit?actor=person');
    expect(stranger.location).toBe('/operators/enter?next=%2Foperators%2Faudit%3Factor%3Dperson');
  });

  test('works in a second tab that was open when the first signed in', async () => {
    const visitor = new Operator(world);
    await visitor.ask('/operators/enter');
    const form = { csrf: visitor.csrf, token: adminToken };
    for (const tab of ['first', 'second'])
      expect([tab, (await visitor.ask('/operators/enter', form)).location]).toEqual([tab, '/operators']);
  });

  test('redirects a signed-in operator', async () => {
    const visitor = await entered();
    expect((await visitor.ask('/operators/enter')).location).toBe('/operators');
    expect((await visitor.ask('/operators/enter?next=%2Foperators%2Fmails')).location).toBe(
      '/operators/mails',
    );
    await visitor.post('/operators/leave');
    expect((await visitor.ask('/operators/enter')).status).toBe(200);
  });

  test('signing out ends the session, also for a copy of the cookie', async () => {
    const visitor = await entered();
    const kept = visitor.cookies.get('trunkline_operator') ?? '';
    expect((await visitor.post('/operators/leave')).location).toBe('/operators/enter');
    visitor.cookies.set('trunkline_operator', kept);
    expect((await visitor.ask('/operators')).location).toBe('/operators/enter');
    expect((await visitor.post('/operators/leave')).location).toBe('/operators/enter');
    const posted = await visitor.post(`/operators/aside/${someId}/drop`);
    expect((await visitor.ask(posted.location ?? '')).text).toContain('so what you sent was not done');
  });
});

describe('forged forms', () => {
  test.each(named('post'))("POST %s changes nothing without the form's CSRF token", async (_path, route) => {
    expect((await operator.ask(pathOf(route), { csrf: 'forged' })).status).toBe(400);
    expect((await operator.ask(pathOf(route), {})).status).toBe(400);
  });
});

/** The pages that ask before these are 404 for an unknown id: they say what is affected. */
const asksAbout = /\/(suspend|release|role|drain|\{subscription_id\})$/;

describe('the URL of a form, loaded again or shared', () => {
  const forms = named('post').filter(([path]) => !asksAbout.test(path));
  test.each(forms)('GET %s leads to a page of the console, and does nothing', async (_path, route) => {
    const { status, location } = await operator.ask(pathOf(route));
    expect([200, 302]).toContain(status);
    expect((await operator.ask(location ?? '/operators')).text).toContain('Trunkline operators');
    expect((await operator.ask('/operators')).status).toBe(200);
  });

  test('leads to its page after the token is entered, with a notice that the form was not executed', async () => {
    const path = `/operators/accounts/${someId}/reset-link`;
    const asked = await new Visitor(world).ask(path, { csrf: 'x' });
    const query = new URLSearchParams({ next: path, ended: '' });
    expect(asked.location).toBe(`/operators/enter?${query}`);
    expect((await operator.ask(path)).location).toBe(`/operators/accounts/${someId}`);
  });
});

describe('missing resources', () => {
  const forms = new Set(named('post').map(([path]) => path));
  const asking = named('get').filter(([path]) => asksAbout.test(path) && !path.includes('{node_id}'));
  const showing = named('get').filter(([path]) => path.includes('{') && !forms.has(path));
  test.each([...showing, ...asking])('GET %s of an unknown id is 404', async (_path, route) => {
    const { status, text } = await operator.ask(pathOf(route));
    expect([status, text]).toEqual([404, expect.stringContaining('<a href="/operators/accounts"')]);
  });
});

describe('accounts', () => {
  let account: Account;
  let channelId: string;
  let connected: Channel;
  beforeAll(async () => {
    connected = await world.connected('pagechat');
    account = { ...(await newAccount(world.service)) };
    channelId = connected.id;
  });

  test("are found by address, id, channel, upstream's ids, and a part of a name", async () => {
    const { body } = await world.service.admin('POST', '/accounts', {
      email: 'findme@example.com',
      name: 'Harbour Bakery',
    });
    const id = String(body.account_id);
    for (const text of ['findme@example.com', id, 'harbour bak'])
      expect((await operator.ask(`/operators/accounts?q=${encodeURIComponent(text)}`)).text).toContain(
        `/operators/accounts/${id}"`,
      );
    const { text } = await operator.ask(`/operators/accounts?q=${channelId}`);
    expect(text.match(/\/operators\/accounts\/[0-9a-f-]{36}"/g)).toHaveLength(1);
    const { body: sent } = await world.send(connected, 'hello');
    expect((await operator.ask(`/operators/accounts?q=${sent.message_id}`)).text).toContain(
      /\/operators\/accounts\/[0-9a-f-]{36}"/.exec(text)?.[0],
    );
    expect((await operator.ask('/operators/accounts?q=nobody-is-called-so')).text).toContain(
      'No account found',
    );
  });

  test('are suspended and resumed, get a licence and a link, and the audit log has it', async () => {
    const path = `/operators/accounts/${account.accountId}`;
    const asked = await operator.ask(`${path}/suspend`);
    const { body } = await world.service.admin('GET', `/accounts/${account.accountId}`);
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining(`<b>${body.email}</b>`)]);
    expect((await operator.post(`${path}/suspend`)).location).toBe(path);
    expect((await operator.ask(path)).text).toContain('suspended');
    const send = { channel_id: channelId, recipient: '88001', text: 'hello' };
    const refused = await world.service.call('POST', '/api/v1/messages/send', {
      key: account.key,
      body: send,
    });
    expect([refused.status, refused.body.detail]).toEqual([402, expect.stringContaining('suspended')]);
    expect((await operator.post(`${path}/resume`)).location).toBe(path);
    expect((await operator.post(`${path}/licences`, { tier: 'starter' })).status).toBe(302);
    const link = await operator.post(`${path}/reset-link`);
    expect(link.text).toMatch(/\/portal\/reset\?token=[\w-]{43}/);
    const { text } = await operator.ask(`/operators/audit?account_id=${account.accountId}`);
    for (const action of ['account.suspended-or-resumed', 'licence.created', 'person.reset-link-made'])
      expect(text).toContain(action);
    expect(text).not.toMatch(/token=[\w-]{43}/);
    const shown = (await operator.ask(path)).text;
    expect(shown).not.toContain(account.key);
    expect(shown).toContain(`${account.key.slice(0, 13)}…${account.key.slice(-4)}`);
  });

  test('have people whose role is changed, and the audit log has it [faults: 209]', async () => {
    const owner = await newVisitor(world);
    const viewer = await invited(world, owner, 'viewer');
    const { text: found } = await operator.ask(`/operators/accounts?q=${owner.email}`);
    const [, path = ''] = /href="(\/operators\/accounts\/[^"]+)"/.exec(found) ?? [];
    const { text } = await operator.ask(path);
    const paths = [...text.matchAll(/href="([^"]+\/role)"/g)].map(([, each = '']) => each);
    const [first = '', second = ''] = paths;
    expect(paths).toHaveLength(2);
    expect((await operator.ask(second)).text).toContain(viewer.email);
    const refused = await operator.post(first, { role: 'viewer' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('An account has an owner')]);
    expect((await viewer.ask('/portal/audit')).status).toBe(403);
    expect((await operator.post(second, { role: 'owner' })).location).toBe(`${path}#people`);
    expect((await viewer.ask('/portal/audit')).status).toBe(200);
    const { body } = await world.service.admin('GET', '/audit?action=person.role-changed&actor=operator');
    expect(body.entries).toEqual([
      expect.objectContaining({ before: { role: 'viewer' }, after: { role: 'owner' } }),
    ]);
  });

  test('have a licence that is extended and ended, and of another account it is 404', async () => {
    const { accountId, key } = await newAccount(world.service);
    const path = `/operators/accounts/${accountId}`;
    const { text } = await operator.ask(path);
    const [, licence = ''] = new RegExp(`"(${path}/licences/[\\w-]+)"`).exec(text) ?? [];
    const page = (await operator.ask(licence)).text;
    expect(page).toContain('<h2>End the licence</h2>');
    const ends = async () => {
      const { body } = await world.service.call('GET', '/api/v1/subscriptions', { key });
      return body.subscriptions.map((each: Record<string, unknown>) => [each['status'], each['expires_at']]);
    };
    for (const ends_on of ['', 'soon', '2127-13-01'])
      expect((await operator.post(licence, { ends_on })).status).toBeGreaterThanOrEqual(400);
    expect((await operator.post(licence, { ends_on: '2127-01-31' })).location).toBe(`${path}#licences`);
    expect(await ends()).toEqual([['active', '2127-02-01T00:00:00.000Z']]);
    expect((await operator.ask(licence)).text).toContain('value="2127-01-31"');
    expect((await operator.post(`${licence}/end`)).location).toBe(`${path}#licences`);
    expect((await ends())[0][0]).toBe('canceled');
    await operator.post(licence, { ends_on: '2127-01-31' });
    expect((await ends())[0][0]).toBe('active');
    const foreign = licence.replace(accountId, account.accountId);
    for (const target of [foreign, `${foreign}/end`])
      expect((await operator.post(target, { ends_on: '2127-01-31' })).status).toBe(404);
  });

  /** What the page's form of this action would send, if nobody changed it. */
  const hiddenIn = (text: string, action: string) => {
    const [form = ''] = new RegExp(`<form[^>]* action="${action}"[^]*?</form>`).exec(text) ?? [];
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value(?:="([^"]*)")?/g)];
    return Object.fromEntries(
      hidden.map(([, name = '', value = '']) => [name, value] as const).filter(([name]) => name !== 'csrf'),
    );
  };

  test('get one licence from a form that is posted twice', async () => {
    const { accountId } = await newAccount(world.service);
    const path = `/operators/accounts/${accountId}`;
    const action = `${path}/licences`;
    const form = { ...hiddenIn((await operator.ask(path)).text, action), tier: 'starter' };
    const answers = await Promise.all([operator.post(action, form), operator.post(action, form)]);
    expect(answers.map(({ status }) => status)).toEqual([302, 302]);
    const licences = async () =>
      (await world.service.admin('GET', `/accounts/${accountId}`)).body.subscriptions.length;
    expect(await licences()).toBe(2); // the trial, and this one
    await operator.post(action, { ...hiddenIn((await operator.ask(path)).text, action), tier: 'starter' });
    expect(await licences()).toBe(3);
  });

  test('a stale form overwrites no licence, note or binding that another operator has changed, and the same form twice is no conflict', async () => {
    const channel = await world.connected('pagechat', {
      upstream: (await newBusiness(world.simulator)).pages[0]?.id ?? '',
    });
    const at = `/operators/channels/${channel.id}`;
    const [, path = ''] = /href="(\/operators\/accounts\/[^"]+)"/.exec((await operator.ask(at)).text) ?? [];
    const [, licence = ''] =
      new RegExp(`"(${path}/licences/[\\w-]+)"`).exec((await operator.ask(path)).text) ?? [];
    const licenceId = licence.split('/').at(-1) ?? '';
    const cases = [
      [licence, licence, { ends_on: '2127-01-31' }, { ends_on: '2127-02-01' }],
      [path, `${path}/note`, { note: 'one' }, { note: 'two' }],
      [at, `${at}/licence`, { subscription: '' }, { subscription: licenceId }],
    ] as const;
    for (const [page, action, first, second] of cases) {
      const stale = hiddenIn((await operator.ask(page)).text, action);
      const statusOf = async (form: object) => (await operator.post(action, { ...stale, ...form })).status;
      expect([action, await statusOf(first), await statusOf(first), await statusOf(second)]).toEqual([
        action,
        302,
        302,
        409,
      ]);
      const anew = hiddenIn((await operator.ask(page)).text, action);
      expect((await operator.post(action, { ...anew, ...second })).status).toBe(302);
    }
  });

  test('have a note, which their people do not see', async () => {
    const person = await newVisitor(world);
    const { text } = await operator.ask(`/operators/accounts?q=${person.email}`);
    const [, path = ''] = /href="(\/operators\/accounts\/[^"]+)"/.exec(text) ?? [];
    const note = 'Pays <late>';
    expect((await operator.post(`${path}/note`, { note })).location).toBe(`${path}#note`);
    expect((await operator.ask(path)).text).toContain('Pays &lt;late></textarea>');
    for (const page of ['/portal', '/portal/audit', '/portal/billing'])
      expect((await person.ask(page)).text).not.toMatch(/Pays|account\.noted/);
    expect((await operator.post(`${path}/note`, { note: 'x'.repeat(2_001) })).status).toBe(400);
    await operator.post(`${path}/note`, { note: '' });
    expect((await operator.ask(path)).text).not.toContain('Pays');
  });

  test('tell their people the reason of a suspension', async () => {
    const person = await newVisitor(world);
    const { text } = await operator.ask(`/operators/accounts?q=${person.email}`);
    const [, path = ''] = /href="(\/operators\/accounts\/[^"]+)"/.exec(text) ?? [];
    await operator.post(`${path}/suspend`, { reason: 'Unpaid <since> October.' });
    const told = (await person.ask('/portal/billing')).text;
    expect(told).toContain('The reason: Unpaid &lt;since> October. Ask the operators');
    expect((await operator.ask(path)).text).toContain('Its people are told: Unpaid &lt;since> October.');
    await operator.post(`${path}/resume`);
    await operator.post(`${path}/suspend`);
    expect((await person.ask('/portal/billing')).text).not.toContain('The reason');
  });

  test('show their suspension on each page of the portal, to everybody', async () => {
    const person = await newVisitor(world);
    const { text } = await operator.ask(`/operators/accounts?q=${person.email}`);
    const [, path = ''] = /href="(\/operators\/accounts\/[^"]+)"/.exec(text) ?? [];
    const isTold = async (): Promise<boolean> =>
      (await person.ask('/portal/billing')).text.includes('This account is suspended');
    expect(await isTold()).toBe(false);
    await operator.post(`${path}/suspend`);
    expect(await isTold()).toBe(true);
    await operator.post(`${path}/resume`);
    expect(await isTold()).toBe(false);
  });

  test('show their suspension in the health of each channel, which does not send', async () => {
    const person = await newVisitor(world);
    const { pages } = await newBusiness(world.simulator);
    await world.simulator.control('dialog', { auto: 'allow', times: 1, assets: [pages[0]?.id ?? ''] });
    const begun = await person.post('/portal/channels/connect', { channel_type: 'pagechat' });
    const { location } = await cameBack(world, person, begun.location);
    const channel = connectedAt(location);
    const { text: found } = await operator.ask(`/operators/accounts?q=${person.email}`);
    const [, accountPath = ''] = /href="(\/operators\/accounts\/[^"]+)"/.exec(found) ?? [];
    const healthOn = async (page: string) => {
      const { text } = await person.ask(page);
      const after = text.split(/>Health<|data-head="Health"/).at(-1) ?? '';
      return /class="badge \w+"><svg.*?<\/svg>([^<]+)</.exec(after)?.[1];
    };
    const healths = async () =>
      new Set(await Promise.all(['/portal', '/portal/channels', channel].map(healthOn)));
    const onConsole = async () =>
      (await operator.ask(channel.replace('/portal', '/operators'))).text.match(
        />(well|account_suspended)</g,
      );

    expect(await healths()).toEqual(new Set(['sends only']));
    await operator.post(`${accountPath}/suspend`);
    expect(await healths()).toEqual(new Set(['sends refused']));
    await person.post(`${channel}/webhook`, { webhook_url: world.inbox.url, 'event:message.received': 'on' });
    expect(await healths()).toEqual(new Set(['sends refused']));
    expect((await person.ask('/portal')).text).not.toContain('Nothing needs you');
    expect(await onConsole()).toEqual(['>account_suspended<']);
    await operator.post(`${accountPath}/resume`);
    expect(await healths()).toEqual(new Set(['ready']));
    expect(await onConsole()).toEqual(['>well<']);
    expect((await person.ask('/portal')).text).toContain('Nothing needs you');
  });

  test('a channel is bound to one of its licences, which can be distinguished', async () => {
    const { text: page } = await operator.ask(`/operators/channels/${channelId}`);
    const [, accountId] = /href="\/operators\/accounts\/([^"]+)"/.exec(page) ?? [];
    const path = `/accounts/${accountId}/subscriptions`;
    await world.service.admin('POST', path, { tier: 'pro', source: 'enterprise' });
    await world.service.admin('POST', path, {
      tier: 'pro',
      source: 'trial',
      expires_at: '2099-01-01T00:00:00Z',
    });
    const { text } = await operator.ask(`/operators/channels/${channelId}`);
    const options = [...text.matchAll(/<option[^>]*>([^<]+)<\/option>/g)].map(([, words]) => words);
    expect(new Set(options).size).toBe(options.length);
    expect(options).toContain('pro, trial, active, until 2099-01-01, no channel');
    expect(options).toContainEqual(
      expect.stringMatching(/^pro, trial, active, until [\d-]+, Harbour Bakery \(pagechat\)$/),
    );
  });

  test("a channel's page shows its owner and what waits, and never a secret", async () => {
    const { status, text } = await operator.ask(`/operators/channels/${channelId}`);
    expect([status, text.includes('under epoch')]).toEqual([200, true]);
    expect((await operator.post(`/operators/channels/${channelId}/look`)).status).toBe(302);
    const asked = await operator.ask(`/operators/channels/${channelId}/release`);
    expect(asked.text).toMatch(/The pagechat channel <b>Harbour Bakery<\/b> of <b>[^<]+<\/b>/);
    const released = await operator.post(`/operators/channels/${channelId}/release`);
    expect([released.status, released.text]).toEqual([
      409,
      expect.stringContaining('The channel is active; deactivate it before its claim is released'),
    ]);
    expect(released.text).toContain('href="/operators"');
    expect(
      (await operator.post(`/operators/channels/${channelId}/licence`, { subscription: '' })).status,
    ).toBe(302);
    expect((await operator.ask(`/operators/channels/${channelId}`)).text).toContain('licence_inactive');
  });
});

test('a channel with a problem at the platform is on the page Now, with what it is', async () => {
  const { channel, asset: waba } = await connectOwnAsset(world, 'chatapp');
  expect((await operator.ask('/operators')).text).toContain('Problems at the platform');
  await world.simulator.control('account-updates', { waba_id: waba, event: 'ACCOUNT_RESTRICTION' });
  await until('the channel to be shown', async () => {
    const { text } = await operator.ask('/operators');
    return (
      text.includes(`/operators/channels/${channel.id}"`) && text.includes('<code>account_restricted</code>')
    );
  });
});

test('an address that is no page has the navigation', async () => {
  const { status, text } = await operator.ask('/operators/none-such');
  expect([status, text]).toEqual([404, expect.stringContaining('There is nothing here')]);
  expect(text).toContain('<a href="/operators/platform">');
});

test('times of the page Platform are those of every page', async () => {
  const { text } = await operator.ask('/operators/platform');
  expect(text).toMatch(/last answered at <time datetime="[^"]+Z" title="[^"]+">\d+ \w+, [\d:]+<\/time>/);
});

test('a mail and a change show their account', async () => {
  const person = new Visitor(world);
  await person.ask('/portal/sign-up');
  const email = 'whose@example.com';
  await person.post('/portal/sign-up', { email, password: 'correct horse battery' });
  await person.post('/portal/people', { email: 'guest@example.com', role: 'viewer' });
  const linked = async (path: string): Promise<string[]> => {
    const { text } = await operator.ask(path);
    const links = text.matchAll(/href="\/operators\/accounts\/[^"]+">(.*?)<\/a>/g);
    return [...links].map(([, inside = '']) => inside.replaceAll(/<[^>]*>/g, ''));
  };
  // A mail is written behind the answer.
  for (const path of ['/operators/mails', '/operators/audit'])
    await until(`the account at ${path}`, async () => (await linked(path)).includes(email));
});

describe('the audit log', () => {
  test('is exported as JSON lines and CSV, filtered; a name that looks like a formula is text', async () => {
    const person = new Visitor(world);
    await person.ask('/portal/sign-up');
    const email = '=1+1@example.com';
    await person.post('/portal/sign-up', { email, password: 'correct horse battery' });
    await person.post('/portal/keys', { name: 'shop', scope: 'admin' });
    const lines = await operator.ask('/operators/audit/export?format=jsonl&action=key.created&actor=person');
    const entries = lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries).toEqual([expect.objectContaining({ action: 'key.created', actor_name: email })]);
    const csv = await operator.ask('/operators/audit/export?format=csv&action=key.created&actor=person');
    const [head, row] = csv.text.split('\n');
    expect(head).toBe('at,actor,actor_name,action,account_id,subject,before,after,address');
    expect(row).toContain(`,person,'${email},key.created,`);
  });

  test('a name that is a formula after a semicolon is no cell of its own in semicolon-separated CSV [faults: 164]', async () => {
    const person = new Visitor(world);
    await person.ask('/portal/sign-up');
    await person.post('/portal/sign-up', {
      email: 'semicolon@example.com',
      password: 'correct horse battery',
    });
    const name = "shop;=cmd|' /C calc'!A0;";
    await person.post('/portal/keys', { name, scope: 'admin' });
    const read = async (format: string): Promise<string> =>
      (await operator.ask(`/operators/audit/export?format=${format}&action=key.created&actor=person`)).text;
    const cells = (await read('csv')).split(/[;\n]/);
    expect(cells.filter((cell) => /^\s*[=+@-]/.test(cell))).toEqual([]);
    const [newest = ''] = (await read('jsonl')).split('\n');
    expect(JSON.parse(newest).after.name).toBe(name);
    const [, row = ''] = (await read('csv')).split('\n');
    const [, shown = ''] = /,"(\{.*\})",/.exec(row) ?? [];
    expect(JSON.parse(shown.replaceAll('""', '"')).name).toBe(name);
  });

  test('says which input is invalid, and shows nothing then', async () => {
    const answer = await operator.ask('/operators/audit?since=yesterday');
    expect([answer.status, answer.text.includes('(like 2026-11-22T09:30) is not valid')]).toEqual([
      422,
      true,
    ]);
    expect((await operator.ask('/operators/audit?actor=&account_id=&since=&until=&action=')).status).toBe(
      200,
    );
    expect((await operator.ask('/operators/audit/export?since=yesterday')).status).toBe(422);
  });
});

test('a node is drained after a confirmation, and the audit log has it', async () => {
  const own = await World.open();
  try {
    const visitor = await entered(own);
    const { body } = await own.service.admin('GET', '/nodes');
    const nodeId = String(body.nodes[0].node_id);
    const path = `/operators/nodes/${nodeId}/drain`;
    const { text } = await visitor.ask('/operators');
    expect([text.includes(path), text.includes('>Live channels</th>')]).toEqual([true, true]);
    const asked = await visitor.ask(path);
    expect([asked.status, asked.text.includes('the only node that serves')]).toEqual([200, true]);
    expect(asked.text).toContain('It hands its 0 live channels to the others');
    expect((await own.service.call('GET', '/readyz')).status).toBe(200);
    expect((await visitor.post(path)).location).toBe('/operators');
    expect((await own.service.call('GET', '/readyz')).status).toBe(503);
    const now = await visitor.ask('/operators');
    expect([now.text.includes('drained: takes no channels'), now.text.includes(path)]).toEqual([true, false]);
    const { body: log } = await own.service.admin('GET', '/audit?action=node.drained');
    expect(log.entries).toEqual([expect.objectContaining({ subject: nodeId, actor: 'operator' })]);
  } finally {
    await own.close();
  }
});

test("failed deliveries link to the account's page, which replays kept ones and says which are erased", async () => {
  const own = await World.open({ WEBHOOK_RETRY_DELAYS_MS: '1', WEBHOOK_DEADLINE_MS: '60000' });
  try {
    const visitor = await entered(own);
    expect((await visitor.ask('/operators')).text).toMatch(
      /No event was given up<\/span> since <time [^>]+>\d+ \w{3}, \d\d:00:00</,
    );
    const account = await newAccount(own.service);
    const channel = await own.connect(account, 'pagechat');
    const page = `/operators/accounts/${account.accountId}/given-up`;
    const shown = async (count: number): Promise<string> =>
      until(`${count} to be given up`, async () => {
        const { text } = await visitor.ask(page);
        return text.split('>message.received</code>').length === count + 1 ? text : null;
      });
    expect((await visitor.ask(page)).text).toContain('Nothing. Events that failed');
    own.inbox.answerAlways(503);
    await own.write(channel, { text: 'a text that nobody may see here', wait: true });
    expect(await shown(1)).toContain('erased');
    const path = `/api/v1/channels/${channel.id}`;
    await own.service.call('PATCH', path, { key: channel.key, body: { failed_retention_days: 7 } });
    await own.write(channel, { text: 'a text that nobody may see here', wait: true });
    const kept = await shown(2);
    expect(kept).not.toContain('a text that nobody may see here');
    expect(kept).toContain(`href="/operators/channels/${channel.id}"`);
    const now = (await visitor.ask('/operators')).text;
    expect([now.includes('2 events were given up'), now.includes(`href="${page}"`)]).toEqual([true, true]);
    const stuck = (await visitor.ask(`/operators/channels/${channel.id}`)).text;
    expect(stuck).toContain(`href="${page}"`);
    expect(stuck).toMatch(/<code[^>]*>503<\/code>.*an event, at the receiver.*It answered 503/);
    own.inbox.answerAlways(200);
    const [again = '', ...more] = [...kept.matchAll(/action="([^"]*given-up[^"]*)"/g)].map(([, to]) => to);
    expect(more).toEqual([]);
    const foreign = again.replace(account.accountId, (await newAccount(own.service)).accountId);
    expect((await visitor.post(foreign)).status).toBe(404);
    const before = own.inbox.arrivals.length;
    expect((await visitor.post(again)).location).toBe(`${page}?again`);
    await until('it to arrive', () => own.inbox.arrivals.length === before + 1);
    await shown(1);
    // Until its end is on record, one more attempt is taken.
    await until('it to be refused', async () => (await visitor.post(again)).status === 409);
    const retries = `/audit?account_id=${account.accountId}&action=delivery.tried-again`;
    const { body } = await own.service.admin('GET', retries);
    expect(new Set(body.entries.map(({ actor }: { actor: string }) => actor))).toEqual(new Set(['operator']));
  } finally {
    await own.close();
  }
});

test('a quarantined item shows its account, and is dropped after a confirmation', async () => {
  expect((await operator.ask('/operators/aside')).text).toContain('Quarantined');
  const { id } = await world.connected('chatapp');
  const metadata = { phone_number_id: asset.chatapp };
  const value = { messaging_product: 'whatsapp', metadata, messages: [{ from: 1, id: [], type: 'odd' }] };
  await world.simulator.control('account-events', { waba_id: '311200000000001', field: 'messages', value });
  const row = await until('it to be put aside', async () => {
    const { text } = await operator.ask('/operators/aside');
    return text.split('<tr').find((each) => each.includes(`/operators/channels/${id}"`)) ?? null;
  });
  expect(row).toMatch(/href="\/operators\/accounts\/[^"]+">[^<]+@example\.com</);
  const [, drop = ''] = /href="(\/operators\/aside\/[^"]+\/drop)"/.exec(row) ?? [];
  expect((await operator.ask(drop)).status).toBe(200);
  expect((await operator.post(drop)).location).toBe('/operators/aside');
  expect((await operator.ask('/operators/aside')).text).not.toContain(id);
  expect((await operator.ask(`/operators/aside/${someId}/drop`)).status).toBe(200);
  expect((await operator.post(`/operators/aside/${someId}/drop`)).status).toBe(404);
  expect((await operator.post(`/operators/mails/${someId}/send`)).status).toBe(404);
});
