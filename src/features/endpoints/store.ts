/** The further endpoints of each channel that has some. */
import { removeSeen } from '../../storage/records.ts';
import type { InChannel, Patched, RecordsOf } from '../../storage/records.ts';
import { maxEndpoints } from '../../rules/webhooks/endpoints.ts';
import { endpoints as endpointsEntity } from './entity.ts';
import type { Endpoint, StoredEndpoint } from './entity.ts';

type EndpointChange = Partial<Omit<Endpoint, 'id' | 'accountId' | 'channelId' | 'version' | 'createdAt'>>;

/** Each lost race is another writer's success; people change it by hand. */
const maxTries = 20;

export function endpointStore(recordsOf: RecordsOf) {
  const endpoints = recordsOf(endpointsEntity);
  const ofChannel = (channelId: string): Promise<StoredEndpoint[]> =>
    endpoints.list({ by: 'ofChannel', equal: { channelId }, limit: maxEndpoints });
  return {
    /** False: the channel has as many as it may. */
    async add(endpoint: Endpoint): Promise<boolean> {
      for (;;) {
        const taken = new Set((await ofChannel(endpoint.channelId)).map(({ place }) => place));
        const place = Array.from({ length: maxEndpoints }, (_, at) => at).find((at) => !taken.has(at));
        if (place === undefined) return false;
        // Another caller was faster, or an earlier attempt succeeded and its answer was lost.
        if (await endpoints.insert({ ...endpoint, place })) return true;
        if ((await endpoints.one({ id: endpoint.id })) !== null) return true;
      }
    },
    /** Oldest first. */
    ofChannel: async (channelId: string): Promise<Endpoint[]> => (await ofChannel(channelId)).map(toEndpoint),
    async find({ id, channelId, accountId }: InChannel): Promise<Endpoint | null> {
      const found = await endpoints.one({ id, channelId, accountId });
      return found === null ? null : toEndpoint(found);
    },
    /** For the owner of the endpoint, which acts for its account. */
    async ofOwner(id: string, channelId: string): Promise<Endpoint | null> {
      const found = await endpoints.one({ id, channelId });
      return found === null ? null : toEndpoint(found);
    },
    /** The existing ones among a few ids, of any channel of the account. */
    among: async (accountId: string, ids: readonly string[]): Promise<Endpoint[]> =>
      (await endpoints.some(ids, { accountId })).map(toEndpoint),
    /** Of any account, by its id, the first `limit` after `after`. */
    someAfter: async (after: string, limit: number): Promise<Endpoint[]> =>
      (await endpoints.list({ by: 'byId', after: [after], limit })).map(toEndpoint),
    /** Compare-and-set on what `change` was given. The endpoint before and after this very write; null: it is gone, or `change` gave null. */
    async change(
      { id, channelId, accountId }: InChannel,
      change: (before: Endpoint) => EndpointChange | null,
    ): Promise<Patched<Endpoint> | null> {
      const which = { id, channelId, accountId };
      for (let tries = 0; tries < maxTries; tries += 1) {
        const before = await endpoints.one(which);
        const changed = before === null ? null : change(before);
        if (before === null || changed === null) return null;
        const { version } = before;
        const set = { ...changed, version: version + 1 };
        const done = await endpoints.patchBoth({ which: { ...which, version }, change: { set } });
        if (done !== null) return { before: toEndpoint(done.before), after: toEndpoint(done.after) };
      }
      throw new Error('an endpoint changes without end');
    },
    /** Returns the removed one; of concurrent callers exactly one gets it. */
    async remove({ id, channelId, accountId }: InChannel): Promise<Endpoint | null> {
      const removed = await removeSeen(endpoints, { id, channelId, accountId }, ({ version }) => ({
        version,
      }));
      return removed === null ? null : toEndpoint(removed);
    },
  };
}

function toEndpoint({ place: _place, ...endpoint }: StoredEndpoint): Endpoint {
  return endpoint;
}
