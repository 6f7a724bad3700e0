/** Requests that are valid except for their body, made from the route table, so that a new operation is attacked too. */
import { routeTable } from '../../src/features/route-table.ts';
import type { Route } from '../../src/http/route.ts';
import { newId } from '../../src/kernel/ids.ts';
import { accountIdOf, newVisitor } from '../pages/visitor.ts';
import { call } from './api.ts';
import type { Answer, CallOptions } from './api.ts';
import { adminToken } from './service.ts';
import { templatesOf } from './templates.ts';
import { newAccount } from './world.ts';
import type { Account, Channel, World } from './world.ts';

export type RouteWithBody = Exclude<Route, { audience: 'open' }>;

/** The routes that read JSON. */
export const routesWithBody: readonly RouteWithBody[] = routeTable
  .filter((route) => route.audience !== 'open')
  .filter((route) => route.bodySchema !== null && !('takesFile' in route && route.takesFile));

export function routeNamed(name: string): RouteWithBody {
  const found = routesWithBody.find((route) => route.name === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
}

/** Of what exists. */
interface Ids {
  template: string;
  person: string;
  endpoint: string;
}

/** An account with a channel, and hostile requests in its name. */
export class Attack {
  readonly world: World;
  readonly account: Account;
  readonly channel: Channel;
  readonly #ids: Ids;

  private constructor(world: World, account: Account, channel: Channel, ids: Ids) {
    this.world = world;
    this.account = account;
    this.channel = channel;
    this.#ids = ids;
  }

  static async on(world: World): Promise<Attack> {
    const { service } = world;
    const account = await newAccount(service);
    const channel = await world.connect(account, 'chatapp', { events: [] });
    const { body } = await templatesOf(service, channel).list();
    const endpoint = await service.call('POST', `/api/v1/channels/${channel.id}/endpoints`, {
      key: account.key,
      body: { url: 'https://endpoint.example/hook', events: ['message.read'] },
    });
    const person = await newPersonId(world);
    const ids = { template: body.templates[0].id, person, endpoint: endpoint.body.id };
    return new Attack(world, account, channel, ids);
  }

  /** Calls the route with existing ids and valid credentials, so that only the given body is wrong. */
  ask(route: RouteWithBody, options: CallOptions): Promise<Answer> {
    const { headers = {}, ...rest } = options;
    const credentials = { 'x-api-key': this.account.key, authorization: `Bearer ${adminToken}` };
    const path = route.path
      .replace('{channel_id}', this.channel.id)
      .replace('{message_id}', newId())
      .replace('{template_id}', this.#ids.template)
      .replace('{person_id}', this.#ids.person)
      .replace('{endpoint_id}', this.#ids.endpoint)
      .replace('{account_id}', this.account.accountId)
      .replace('{subscription_id}', this.account.subscriptionId);
    return call(route.method.toUpperCase(), this.world.service.url + path, {
      ...rest,
      headers: { ...credentials, ...headers },
    });
  }

  /** What the account has, all mails, and the number of sends that reached upstream: compare it before and after an attack. */
  async everything(): Promise<unknown> {
    const { service, simulator } = this.world;
    const lists = ['channels', 'redirects', 'subscriptions'].map(
      async (path) => (await service.call('GET', `/api/v1/${path}`, { key: this.account.key })).body,
    );
    const { body: mails } = await service.admin('GET', '/mails');
    const { total } = await simulator.control('sends?outcome=all');
    return [...(await Promise.all(lists)), mails, total];
  }
}

/** A person who has just signed up. */
async function newPersonId(world: World): Promise<string> {
  const accountId = await accountIdOf(world, await newVisitor(world));
  const account = await world.service.admin('GET', `/accounts/${accountId}`);
  return account.body.people[0].person_id;
}
