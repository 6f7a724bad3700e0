import type { WebhookSettings } from '../../src/storage/channel-holdings.ts';
/** The product's routes over a world of its own: an embedded store with an account, its people and channels, and a scripted outside. */
import type { Reservation } from '../../src/rules/channels/reservation.ts';
import { hashSecret } from '../../src/kernel/ids.ts';
import { dayMs } from '../../src/kernel/clock.ts';
import { apiKeyPrefix } from '../../src/rules/api-key.ts';
import type { Channel } from '../../src/rules/channels/channel.ts';
import type { Role } from '../../src/rules/person.ts';
import type { ChannelType } from '../../src/rules/vocabulary.ts';

import { authenticate, knownCaller } from '../../src/features/accounts/keys.ts';
import { visitor } from '../../src/features/people/sign-in.ts';
import { places } from '../../src/features/pages.ts';
import { routeTable } from '../../src/features/route-table.ts';
import type { World, WorldSettings } from '../../src/features/world.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { openService } from '../features/support/service.ts';
import type { Service } from '../features/support/service.ts';
import {
  aKey,
  anAccount,
  aPass,
  aPerson,
  aReservation,
  aSubscription,
} from '../stores/conformance/samples.ts';
import {
  adminToken,
  apiKey,
  caller,
  licenceId,
  now,
  operatorSession,
  optionsOver,
  ownerId,
  serve,
  session,
} from './support.ts';
import type { Running } from './support.ts';

export interface House extends Service {
  /** The options of a listener with all routes of the product over this world, or over the given one. */
  options: (given?: Partial<ServerOptions<World>>) => ServerOptions<World>;
  run: (given?: Partial<ServerOptions<World>>) => Promise<Running>;
}

/** A world in which `caller` has an account with a key, a licence and an owner who is signed in, as is an operator. */
export async function openHouse(over: Partial<WorldSettings> = {}): Promise<House> {
  const service = await openService({ baseUrl: 'https://service.example', ...over });
  service.clock.pass(now - service.clock.now());
  await openAccount(service);
  await signIn(service);
  await enterConsole(service);
  const options = (given: Partial<ServerOptions<World>> = {}): ServerOptions<World> =>
    optionsIn(service, given);
  return { ...service, options, run: (given) => serve(options(given)) };
}

/** The options of a listener with all routes of the product over the service's world, or over the given one. */
export function optionsIn(
  service: Pick<Service, 'world'>,
  given: Partial<ServerOptions<World>>,
): ServerOptions<World> {
  const { world = service.world } = given;
  return optionsOver(
    { routes: routeTable, world },
    {
      callers: {
        known: (key) => knownCaller(world, key),
        authenticate: (key) => authenticate(world, key),
      },
      findVisitor: (secret) => visitor(world, secret),
      sealer: world.sealer,
      sendsMail: world.settings.sendsMail,
      places,
      ...given,
    },
  );
}

/** The product over a world of its own, which ends with the listener. */
export async function run(given: Partial<ServerOptions<World>> = {}): Promise<Running> {
  const house = await openHouse();
  const running = await house.run(given);
  const stop = async (): Promise<void> => {
    await running.stop();
    await house.close();
  };
  return { ...running, stop };
}

async function openAccount({ stores }: Service): Promise<void> {
  const { accountId, apiKeyId: id } = caller;
  const account = anAccount({ id: accountId, email: 'owner@example.com', name: null, createdAt: now });
  const shown = { hint: apiKey.slice(0, apiKeyPrefix.length + 4), lastFour: apiKey.slice(-4), name: null };
  const key = aKey(accountId, { id, hash: hashSecret(apiKey), ...shown, createdAt: now });
  const since = now - 30 * dayMs;
  const licence = aSubscription(accountId, {
    id: licenceId,
    source: 'enterprise',
    startsAt: since,
    expiresAt: null,
    createdAt: since,
  });
  await stores.accounts.create(account, key, licence);
  await stores.people.insert(
    aPerson({
      id: ownerId,
      accountId,
      email: account.email,
      passwordVersion: 'first',
      createdAt: now - dayMs,
    }),
  );
}

/** A person of this role, with the session `secret`. */
export async function signIn({ stores }: Service, role: Role = 'owner', secret = session): Promise<void> {
  let personId = ownerId;
  if (role !== 'owner') {
    const person = aPerson({ accountId: caller.accountId, role, passwordVersion: 'first' });
    await stores.people.insert(person);
    personId = person.id;
  }
  const pass = { id: hashSecret(secret), personId, passwordVersion: 'first' };
  await stores.passes.insert(aPass({ ...pass, createdAt: now, expiresAt: now + dayMs }));
}

/** Opens an operator's session with the secret `operatorSession`, unless it is open. */
export async function enterConsole({ stores }: Service): Promise<void> {
  const pass = { id: hashSecret(operatorSession), kind: 'operator', personId: 'operators' } as const;
  const passwordVersion = hashSecret(`operators:${adminToken}`);
  if ((await stores.passes.find(pass.id, pass.kind, now)) !== null) return;
  await stores.passes.insert(aPass({ ...pass, passwordVersion, createdAt: now, expiresAt: now + dayMs }));
}

/** A connected channel of `caller`. Its receiver, its events and its secret are none unless `settings` says otherwise. */
export async function connect(
  { stores }: Service,
  channelType: ChannelType,
  over: Partial<Reservation> = {},
  settings: WebhookSettings = {},
  connectedAt = now,
): Promise<Channel> {
  const { accountId, apiKeyId } = caller;
  const reservation = aReservation({
    accountId,
    apiKeyId,
    channelType,
    subscriptionId: licenceId,
    createdAt: now,
    codeExpiresAt: now + dayMs,
    ...over,
  });
  const outcome = await stores.channels.reserve(reservation, connectedAt);
  if (outcome !== 'reserved') throw new Error(`not reserved: ${outcome}`);
  const channel = await stores.channels.exchange(
    { hash: reservation.codeHash, accountId: reservation.accountId },
    connectedAt,
    () => settings,
  );
  if (channel === null) throw new Error('not connected');
  return channel;
}
