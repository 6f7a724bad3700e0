/** A browser as far as cookies are concerned, for actions that a real one does not offer. */
import { expect } from '@jest/globals';
import { hashSecret } from '../../src/kernel/ids.ts';
import { unmaskToken } from '../../src/pages/forms/mask.ts';
import { choose } from '../support/world.ts';
import type { World } from '../support/world.ts';
import { password } from './browsing.ts';

/** A page with the tokens of its forms unmasked: pages that differ in nothing else are equal. */
const withoutMasks = (text: string): string =>
  text.replaceAll(/(?<=name="csrf" value=")[^"]*/g, (masked) => unmaskToken(masked));

/** Anything with a portal. */
interface Place {
  service: Pick<World['service'], 'url'>;
}

export class Visitor {
  readonly #world: Place;

  readonly cookies = new Map<string, string>();

  constructor(world: Place) {
    this.#world = world;
  }

  async ask(path: string, form?: Record<string, string>, headers: Record<string, string> = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`${this.#world.service.url}${path}`, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie, ...headers },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    const set = answer.headers.getSetCookie();
    for (const each of set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      text: withoutMasks(await answer.text()),
      set,
    };
  }

  get csrf(): string {
    const named = (name: string): string | undefined =>
      this.cookies.get(`trunkline_${name}`) ?? this.cookies.get(`__Host-trunkline_${name}`);
    return hashSecret(`csrf:${named('session') ?? named('visit') ?? ''}`);
  }

  async post(path: string, form: Record<string, string> = {}) {
    return this.ask(path, { csrf: this.csrf, ...form });
  }
}

/** Of the answer to a request for a stream of events, which is then left. */
export async function streamStatus(
  { service }: Place,
  { cookies }: Pick<Visitor, 'cookies'>,
  address: string,
): Promise<number> {
  const leaving = new AbortController();
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const { status } = await fetch(service.url + address, { headers: { cookie }, signal: leaving.signal });
  leaving.abort();
  return status;
}

/** A visitor of the console. */
export class Operator extends Visitor {
  override get csrf(): string {
    return hashSecret(
      `csrf:${this.cookies.get('trunkline_operator') ?? this.cookies.get('trunkline_operator_visit') ?? ''}`,
    );
  }
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
