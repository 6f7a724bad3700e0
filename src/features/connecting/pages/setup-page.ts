import type { World } from '../../world.ts';
import { pageOfKnown } from '../../route.ts';
import { clientAddress } from '../../../http/middleware/client-address.ts';
import type { OpenRoute } from '../../../http/route.ts';
import { parseQuery } from '../../../http/validation/query.ts';
import { setupFailed } from './notices.ts';

/**
 * A page of a setup flow. Clients have many people connect at once, so the limits are such that people never meet them: per flow, which a
 * `state` or the URL's id names, and per address. [operator-interface §3; faults: 324]
 */
export function setupPage(spec: Parameters<typeof pageOfKnown>[0]): OpenRoute<World> {
  return pageOfKnown({
    failedAs: setupFailed,
    ...spec,
    open: (request, response, context) => {
      const { pageLimits, trustProxyHops } = context;
      pageLimits.take('setupAddress', clientAddress(request, trustProxyHops));
      const state = parseQuery(request.url).get('state') ?? '';
      const { session_id: inPath } = request.params;
      // A state begins with the id of its flow.
      const flow = typeof inPath === 'string' ? inPath : (state.split('.')[0] ?? '');
      if (flow !== '') pageLimits.take('setup', flow.slice(0, 200));
      return spec.open(request, response, context);
    },
  });
}
