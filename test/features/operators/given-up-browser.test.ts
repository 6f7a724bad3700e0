/** [portal: how it looks] Lists with what was given up, of a page whose ids are long, at every width. */
import { browserTest } from '../../support/browser.ts';
import { adminToken } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { asset, person } from '../../support/world.ts';
import { browsedWorld, connect, expectWellMade, setWebhook } from '../../pages/browsing.ts';
import { accountIdOf } from '../../pages/visitor.ts';

const portal = browsedWorld({ WEBHOOK_RETRY_DELAYS_MS: '20,20', WEBHOOK_DEADLINE_MS: '60000' });

browserTest(
  "what an account's receivers did not take fits its page, as its messages and deliveries do",
  async () => {
    const { page, email } = await portal.signUp();
    await connect(portal.world, page, 'pagechat');
    const { simulator, inbox } = portal.world;
    await setWebhook(page, inbox.url);
    inbox.answerAlways(503);
    const written = { channel: asset.pagechat, from: person.pagechat, text: 'hello', wait: true };
    await simulator.control('people/write', written);
    await until('the event to be given up', async () => {
      await page.goto(portal.at('/portal/deliveries?state=failed'));
      return (await page.getByText('Failed · 503').count()) > 0;
    });
    await expectWellMade(page, 'deliveries-failed');
    await page.goto(portal.at('/portal/messages'));
    await page.getByText(person.pagechat).waitFor();
    await expectWellMade(page, 'messages-of-a-page');
    await page.goto(portal.at('/operators'));
    await page.getByLabel('Admin token').fill(adminToken);
    await page.getByRole('button', { name: 'Enter' }).click();
    const accountId = await accountIdOf(portal.world, { email });
    await page.goto(portal.at(`/operators/accounts/${accountId}/given-up`));
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await expectWellMade(page, 'operators-given-up');
  },
  120_000,
);
