/** People at the portal without a real browser, for actions that one does not offer. */
import { expect } from '@jest/globals';
import { Visitor } from '../support/visitor.ts';
import type { Place } from '../support/visitor.ts';
import { choose } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { password } from './browsing.ts';

export { Operator, Visitor } from '../support/visitor.ts';

/** Of the answer to a request for a stream of events, which is then left. */
export async function streamStatus(
  { service }: Place,
  { cookie }: Pick<Visitor, 'cookie'>,
  address: string,
): Promise<number> {
  const leaving = new AbortController();
  const { status } = await fetch(service.url + address, { headers: { cookie }, signal: leaving.signal });
  leaving.abort();
  return status;
}

let people = 0;

export async function newVisitor(world: World): Promise<Visitor & { email: string }> {
  people += 1;
  const email = `visitor-${people}@example.com`;
  const visitor = Object.assign(new Visitor(world), { email });
  await visitor.ask('/portal/sign-up');
  const answer = await visitor.post('/portal/sign-up', { email, password });
  expect([answer.status, answer.location]).toEqual([302, '/portal']);
  return visitor;
}

/** Where the page that asks for one of several assets leads when the preselected one is taken. */
async function chosenFirst(location: string, text: string): Promise<string> {
  const [, first] = /name="asset" value="([^"]+)"/.exec(text) ?? [];
  const chosen = first === undefined ? null : (await choose(location, first)).headers.get('location');
  if (chosen === null) throw new Error(`no redirect: ${text}`);
  return chosen;
}

/** Follows redirects as a browser does, until one leads back to the portal; returns that page. */
export async function cameBack(world: Place, visitor: Visitor, from: string | null) {
  let location = from ?? '';
  for (let step = 0; step < 10 && !location.includes('/portal/connected'); step += 1) {
    const answer = await fetch(location, { redirect: 'manual' });
    location = answer.headers.get('location') ?? (await chosenFirst(location, await answer.text()));
  }
  return visitor.ask(location.slice(world.service.url.length));
}

/** The page of the channel, as the redirect after its connection says it. */
export function connectedAt(location: string | null): string {
  return /^\/portal\/channels\/[^/?]+/.exec(location ?? '')?.[0] ?? '';
}

/** The link of this owner's newest invitation, as operators pass it on if there is no mail server. */
export async function invitationLink(world: World, owner: Visitor): Promise<string> {
  const page = await owner.ask('/portal/people');
  const ids = [...page.text.matchAll(/href="\/portal\/people\/([0-9a-f-]{36})"/g)].map(([, id = '']) => id);
  const { body } = await world.service.admin('POST', `/people/${ids.at(-1)}/invitation-link`);
  return String(body.link).slice(world.service.url.length);
}

/** A person who was invited and has joined. */
export async function invited(
  world: World,
  owner: Visitor & { email: string },
  role: 'owner' | 'developer' | 'viewer',
): Promise<Visitor & { email: string }> {
  const email = `${role}-of-${owner.email}`;
  const asked = await owner.post('/portal/people', { email, role });
  expect(asked.location).toBe('/portal/people?invited');
  const link = await invitationLink(world, owner);
  const visitor = Object.assign(new Visitor(world), { email });
  await visitor.ask(link);
  const token = new URLSearchParams(link.split('?')[1]).get('token') ?? '';
  expect((await visitor.post('/portal/invitation', { token, password })).location).toBe('/portal');
  return visitor;
}

/** The id of this person's account, as operators find it. */
export async function accountIdOf(world: World, { email }: { email: string }): Promise<string> {
  const { body } = await world.service.admin('GET', `/accounts?email=${encodeURIComponent(email)}`);
  return body.accounts[0].account_id;
}
