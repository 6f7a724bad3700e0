/** Further endpoints of a channel: what clients and people do with them. [spec: Additions, Endpoints] */
import type { Channel } from '../../rules/channels/channel.ts';
import { maxEndpoints, ownerOf } from '../../rules/webhooks/endpoints.ts';
import { Fault, fault, fieldFault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Caller } from '../../rules/caller.ts';
import { audit } from '../audit/index.ts';
import {
  announceChange,
  forgetFailing,
  intendChange,
  eraseKeptOf,
  endpointErrors,
  findChannel,
  newWebhookSecret,
  secretsFrom,
} from '../channels/index.ts';
import type { World } from '../world.ts';
import type { Endpoint } from './entity.ts';
import { headerErrors, keepsSome, sealHeaders, wholeHeaders } from './headers.ts';
import type { GivenHeaders, PatchedHeaders } from './headers.ts';
import { endpointSnapshot } from './snapshot.ts';

/** What a call gives: undefined leaves a field as it is; a null secret ends signing, null headers are none. */
export interface EndpointPatch {
  url?: string;
  events?: readonly string[];
  secret?: string | null;
  /** In place of all others. */
  headers?: PatchedHeaders | null;
  isEnabled?: boolean;
}

/** `secret` is plain text; null unless this call set or generated it. */
export interface EndpointWithSecret {
  endpoint: Endpoint;
  secret: string | null;
}

export type NewEndpoint = Omit<EndpointPatch, 'headers'> &
  Required<Pick<EndpointPatch, 'url' | 'events'>> & { headers?: GivenHeaders | null };

/** Oldest first. Throws 404 `not_found`. */
export async function listEndpoints(world: World, caller: Caller, channelId: string): Promise<Endpoint[]> {
  const channel = await findChannel(world, caller, channelId);
  return channel.hasEndpoints ? world.stores.endpoints.ofChannel(channelId) : [];
}

/** Throws 404 `not_found`. */
export async function readEndpoint(
  world: World,
  caller: Caller,
  channelId: string,
  endpointId: string,
): Promise<Endpoint> {
  const { accountId } = await findChannel(world, caller, channelId);
  const found = await world.stores.endpoints.find({ id: endpointId, channelId, accountId });
  if (found === null) throw noSuchEndpoint();
  return found;
}

/** A secret is generated unless one is given. Throws 404 `not_found`, 422 `validation`, 400 `bad_request`. */
export async function addEndpoint(
  world: World,
  caller: Caller,
  channelId: string,
  given: NewEndpoint,
): Promise<EndpointWithSecret> {
  const channel = await findChannel(world, caller, channelId);
  checkPatch(channel, given);
  const { accountId } = caller;
  const id = newId();
  const secret = given.secret ?? newWebhookSecret();
  const now = world.clock.now();
  const { webhookSecret } = secretsFrom(world, { id: ownerOf(channelId, id), webhookSecret: null }, secret);
  const endpoint: Endpoint = {
    id,
    accountId,
    channelId,
    url: given.url,
    secret: webhookSecret ?? null,
    previousSecret: null,
    previousSecretUntil: null,
    events: [...new Set(given.events)],
    headers: sealHeaders(world, ownerOf(channelId, id), given.headers),
    disabledAt: given.isEnabled === false ? now : null,
    version: 0,
    createdAt: now,
  };
  await intendChange(world, channelId);
  // Before the endpoint exists: a channel that has one must not be taken for one that has none.
  await world.stores.channels.noteEndpoints(channelId, accountId);
  if (!(await world.stores.endpoints.add(endpoint)))
    throw fault('bad_request', { why: `A channel can have at most ${maxEndpoints} further endpoints` });
  await audit(world, caller.by, 'endpoint.added', null, endpointSnapshot(endpoint));
  await announceChange(world, channelId);
  return { endpoint, secret };
}

/** `mayChange` throws if the endpoint, as it stands at the change, is not to be changed. Throws 404 `not_found`, 422 `validation`. */
export async function updateEndpoint(
  world: World,
  caller: Caller,
  channelId: string,
  endpointId: string,
  patch: EndpointPatch,
  mayChange: (standing: Endpoint) => void = () => undefined,
): Promise<EndpointWithSecret> {
  const channel = await findChannel(world, caller, channelId);
  checkPatch(channel, patch);
  const which = { id: endpointId, channelId, accountId: caller.accountId };
  const owner = ownerOf(channelId, endpointId);
  const change = (before: Endpoint): Partial<Endpoint> => {
    mayChange(before);
    requireHeaders(before, patch);
    return changeOf(world, before, patch);
  };
  if (patch.isEnabled === true || patch.url !== undefined) {
    const standing = await world.stores.endpoints.find(which);
    if (standing === null) throw noSuchEndpoint();
    change(standing); // what is refused is not forgotten either
    // A failure that is over, or that was of another address, must not disable it.
    await forgetFailing(world, owner);
  }
  await intendChange(world, channelId);
  const changed = await world.stores.endpoints.change(which, change);
  if (changed === null) throw noSuchEndpoint();
  const { before, after } = changed;
  await audit(world, caller.by, 'endpoint.updated', endpointSnapshot(before), endpointSnapshot(after));
  await announceEndpoint(world, channelId, owner);
  return { endpoint: after, secret: patch.secret ?? null };
}

/** Events that wait for it are canceled. Throws 404 `not_found`. */
export async function removeEndpoint(
  world: World,
  caller: Caller,
  channelId: string,
  endpointId: string,
): Promise<void> {
  await findChannel(world, caller, channelId);
  const { accountId } = caller;
  const owner = ownerOf(channelId, endpointId);
  await intendChange(world, channelId, owner);
  const removed = await world.stores.endpoints.remove({ id: endpointId, channelId, accountId });
  if (removed === null) throw noSuchEndpoint();
  await audit(world, caller.by, 'endpoint.removed', endpointSnapshot(removed), null);
  await announceEndpoint(world, channelId, owner);
  await eraseKeptOf(world, owner, null);
  await world.stores.health.forget(owner);
}

/** The channel's owner stores no more for an endpoint that is gone, and then the endpoint's owner cancels what it has. */
export async function announceEndpoint(
  world: Parameters<typeof announceChange>[0],
  channelId: string,
  owner: string,
): Promise<void> {
  await announceChange(world, channelId);
  await announceChange(world, owner);
}

/** Their values are shown to nobody, so nobody gets them at an address of their own either. [faults: 391] */
function requireHeaders({ url, headers: stored }: Endpoint, { url: given, headers }: EndpointPatch): void {
  const isKept = headers === undefined ? stored !== null : keepsSome(headers);
  if (!isKept || given === undefined || new URL(given).origin === new URL(url).origin) return;
  throw fieldFault(['body', 'headers'], 'With a url of another host, give the headers again, or none');
}

function changeOf(world: World, before: Endpoint, patch: EndpointPatch): Partial<Endpoint> {
  const { url, events, headers, isEnabled } = patch;
  const owner = ownerOf(before.channelId, before.id);
  const own = secretsFrom(world, { id: owner, webhookSecret: before.secret }, patch.secret);
  const { webhookSecret: secret, ...previous } = own;
  const disabledAt = isEnabled === true ? null : (before.disabledAt ?? world.clock.now());
  return {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(secret === undefined ? {} : { secret }),
    ...previous,
    ...(headers === undefined
      ? {}
      : { headers: sealHeaders(world, owner, wholeHeaders(world, before, headers)) }),
    ...(isEnabled === undefined ? {} : { disabledAt }),
  };
}

function checkPatch({ channelType }: Channel, { events, secret, headers }: EndpointPatch): void {
  const errors = [...endpointErrors(channelType, { events, secret }), ...headerErrors(headers ?? {})];
  if (errors.length > 0) throw new Fault('validation', { errors });
}

function noSuchEndpoint(): Fault {
  return fault('not_found', { what: 'Endpoint' });
}
