import { Inbox } from './inbox.ts';
import { newBusiness } from './setup.ts';
import { newAccount } from './world.ts';
import type { Channel, World } from './world.ts';

/** A pagechat channel of a new account, which tells `own`; `crm` is there for an endpoint. Close both. */
export async function openTwoReceivers(
  world: Pick<World, 'service' | 'simulator' | 'connect'>,
): Promise<{ own: Inbox; crm: Inbox; channel: Channel }> {
  const [own, crm] = await Promise.all([Inbox.open(), Inbox.open()]);
  const owner = await newAccount(world.service);
  const upstream = (await newBusiness(world.simulator)).pages[0]?.id ?? '';
  const channel = await world.connect(owner, 'pagechat', { upstream, webhookUrl: own.url });
  return { own, crm, channel };
}
