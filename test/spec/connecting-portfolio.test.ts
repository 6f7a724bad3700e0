/** [operator-interface §4] Pages that the person's own list leaves out, and that no scope of the token names. */
import { expect, test } from '@jest/globals';
import { allEventsAbout } from '../support/events.ts';
import { allowRedirect, codeIn, exchange, home, setupUrl, walkSetup } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { follow, newAccount } from '../support/world.ts';

const world = sharedWorld();

async function newPortfolio(pages: number): Promise<{ login: string; id: string; page: string }> {
  const { businesses } = await world.simulator.control('businesses', { count: 1, pages });
  const [{ login, business_id: id, pages: owned }] = businesses;
  return { login, id, page: owned[0]?.id ?? '' };
}

/** A page that its person picks, and that only a portfolio of the person lists. */
const listedBy = {
  owned_pages: async () => newPortfolio(1),
  client_pages: async () => {
    const [agency, client] = [await newPortfolio(0), await newPortfolio(1)];
    await world.simulator.control('pages', { page_id: client.page, client_of: agency.id });
    return { login: agency.login, page: client.page };
  },
};

test.each(['owned_pages', 'client_pages'] as const)(
  'a page that only %s has, in a grant of everything, is connected and receives',
  async (edge) => {
    const { key } = await newAccount(world.service);
    const { login, page } = await listedBy[edge]();
    await world.simulator.control('pages', { page_id: page, picker_only: true });
    const code = codeIn(await walkSetup(world, key, 'pagechat', { login }));
    const settings = { webhook_url: world.inbox.url, webhook_events: ['message.received'] };
    const { status, body } = await exchange(world.service, key, code, settings);
    expect([status, body.page_id]).toEqual([200, page]);
    await world.untilRegistered('pagechat');
    const from = `88${page.slice(2)}7`;
    await world.simulator.control('people/write', { channel: page, from, text: 'Are you open?' });
    const channel = { id: body.channel_id, type: 'pagechat', upstream: page, key } as const;
    const events = await allEventsAbout(world, { ...channel, webhookSecret: body.webhook_secret }, from, 1);
    expect(events).toMatchObject([{ event: 'message.received', data: { text: 'Are you open?' } }]);
  },
);

// trypostit/trypost #212, #292, #301: all pages were granted, and only those of the person's own list could be connected.
test('of a grant of everything, a page that only a portfolio has is offered beside one that the list has', async () => {
  const { key } = await newAccount(world.service);
  const { businesses } = await world.simulator.control('businesses', { count: 1, pages: 2 });
  const [{ login, pages }] = businesses;
  await world.simulator.control('pages', { page_id: pages[1].id, picker_only: true });
  await allowRedirect(world.service, key);
  const link = (await setupUrl(world.service, key, 'pagechat')).body.setup_url;
  await world.simulator.control('dialog', { auto: 'allow', login, times: 1 });
  const { status, body } = await exchange(world.service, key, codeIn(await follow(link, home, pages[1].id)));
  expect([status, body.page_id]).toEqual([200, pages[1].id]);
});
