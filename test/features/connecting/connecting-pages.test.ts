/** [portal: Setup] The possible ends of a connection that was started in the portal, explained to the person. */
import { describe, expect, test } from '@jest/globals';
import { newBusiness } from '../../support/setup.ts';
import { sharedWorld } from '../../support/shared-world.ts';
import { newAccount, World, asset, follow } from '../../support/world.ts';
import { cameBack, connectedAt, invited, newVisitor } from '../../pages/visitor.ts';
import type { Visitor } from '../../pages/visitor.ts';

const world = sharedWorld();

interface Dialog {
  auto?: 'allow' | 'deny';
  assets?: string[];
}

async function begun(visitor: Visitor, dialog: Dialog) {
  await world.simulator.control('dialog', { auto: 'allow', times: 1, ...dialog });
  return visitor.post('/portal/channels/connect', { channel_type: 'pagechat' });
}

async function connected(visitor: Visitor, dialog: Dialog) {
  return cameBack(world, visitor, (await begun(visitor, dialog)).location);
}

describe('a connection that is', () => {
  test('declined at upstream: nothing was connected', async () => {
    const visitor = await newVisitor(world);
    const { status, text } = await connected(visitor, { auto: 'deny' });
    expect([status, text]).toEqual([200, expect.stringContaining('You did not allow the connection')]);
    expect(text).toContain('No channel yet');
  });

  test('made with a webhook URL but without events says what is missing', async () => {
    const visitor = await newVisitor(world);
    const { pages } = await newBusiness(world.simulator);
    const { location } = await connected(visitor, { assets: [pages[0]?.id ?? ''] });
    const channel = connectedAt(location);
    const saved = await visitor.post(`${channel}/webhook`, { webhook_url: world.inbox.url });
    expect((await visitor.ask(saved.location ?? '')).text).toContain('The webhook secret');
    const { text } = await visitor.ask(channel);
    expect(text).toContain('Its webhook has no address, or no event is selected');
  });

  test('returned to by a viewer of the account: the role may not finish it, and the code waits for a person who may', async () => {
    const owner = await newVisitor(world);
    const viewer = await invited(world, owner, 'viewer');
    const { pages } = await newBusiness(world.simulator);
    const { location } = await begun(owner, { assets: [pages[0]?.id ?? ''] });
    const come = await follow(location ?? '', `${world.service.url}/portal/connected`);
    const path = `${come.pathname}${come.search}`;
    const refused = await viewer.ask(path);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Nothing was changed')]);
    expect((await owner.ask('/portal/channels')).text).toContain('No channel yet');
    expect((await owner.ask(path)).location).toMatch(/\?connected$/);
  });

  test("for another account's page: the page says who can release it", async () => {
    await world.connect(await newAccount(world.service), 'pagechat');
    const { text } = await connected(await newVisitor(world), { assets: [asset.pagechat] });
    expect(text).toContain('connected to another account');
  });

  test('one more than the licence allows: no way to start, and a link to the licences', async () => {
    const visitor = await newVisitor(world);
    const other = '520000000000105';
    const first = await connected(visitor, { assets: [other] });
    expect(first.location).toMatch(/\?connected$/);
    const second = await begun(visitor, {});
    expect([second.status, second.location]).toEqual([402, null]);
    expect(second.text).toMatch(/role="alert"[^>]*>[^<]*(slot|licence)/i);
  });

  test('returned to twice: the page says that it was completed', async () => {
    const visitor = await newVisitor(world);
    await world.simulator.control('dialog', { auto: 'allow', times: 1, assets: ['520000000000015'] });
    const { location } = await visitor.post('/portal/channels/connect', { channel_type: 'pagechat' });
    let code = location ?? '';
    while (!code.includes('/portal/connected')) {
      code = (await fetch(code, { redirect: 'manual' })).headers.get('location') ?? '';
    }
    const path = code.slice(world.service.url.length);
    expect((await visitor.ask(path)).location).toMatch(/\?connected$/);
    const again = await visitor.ask(path);
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('was already completed')]);
    const stranger = await (await newVisitor(world)).ask(path);
    expect([stranger.status, stranger.text]).toEqual([400, expect.stringContaining('Look below')]);
  });

  test.each(['call_this_number', 'constructor', '__proto__', 'toString'])(
    'an unknown error code is not shown: %s',
    async (word) => {
      const { status, text } = await (await newVisitor(world)).ask(`/portal/connected?error=${word}`);
      expect([status, text]).toEqual([200, expect.stringContaining('The connection was not completed')]);
      expect(text).not.toContain(word);
    },
  );
});

test('a link that has expired says what to do', async () => {
  const late = await World.open({ SETUP_URL_TTL_MS: '1' });
  try {
    const visitor = await newVisitor(late);
    const { location } = await visitor.post('/portal/channels/connect', { channel_type: 'pagechat' });
    const answer = await fetch(location ?? '', { redirect: 'manual' });
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('has expired')]);
  } finally {
    await late.close();
  }
});
