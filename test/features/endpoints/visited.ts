/** A channel with endpoints as a person without scripts has them at the portal. */
import { expect } from '@jest/globals';
import { cameBack, connectedAt, newVisitor } from '../../pages/visitor.ts';
import type { Visitor } from '../../pages/visitor.ts';
import { newBusiness } from '../../support/setup.ts';
import type { World } from '../../support/world.ts';

/** Its owner, and the path of its endpoints. */
export async function visitedChannel(world: World) {
  const owner = await newVisitor(world);
  const { pages } = await newBusiness(world.simulator);
  await world.simulator.control('dialog', { auto: 'allow', times: 1, assets: [pages[0]?.id ?? ''] });
  const begun = await owner.post('/portal/channels/connect', { channel_type: 'pagechat' });
  const { location } = await cameBack(world, owner, begun.location);
  return { owner, all: `${connectedAt(location)}/endpoints` };
}

/** Of received messages, unless the form says others; the newest of the channel. */
export async function addedEndpoint(owner: Visitor, all: string, form: { url: string; headers?: string }) {
  const added = await owner.post(all, { 'event:message.received': 'on', ...form });
  expect(added.location).toBe(all);
  const { text } = await owner.ask(all);
  const [secret = ''] = /whsec_[A-Za-z0-9]{44}/.exec(text) ?? [];
  const links = text.matchAll(/href="(\/portal\/channels\/[^/"]+\/endpoints\/[0-9a-f-]{36})"/g);
  const path = [...links].at(-1)?.[1] ?? '';
  return { path, secret, id: path.split('/').at(-1) ?? '' };
}
