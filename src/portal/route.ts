import { openRoute } from '../http/route.ts';
import type { RouteContext } from '../http/options.ts';
import { clientAddress } from '../http/middleware/client-address.ts';
import type { OpenRoute, Request, Way } from '../http/route.ts';
import { failingAs, pageFailed } from './failure.ts';
import type { Notice } from './notice.tsx';

type PageSpec = Way &
  Omit<OpenRoute, 'method' | 'path' | 'audience' | 'failures'> & {
    /** What a person reads when it fails; a plain sentence unless given. */
    failedAs?: Notice;
  };

/** A route that answers pages, its failures included. Whoever asks is a stranger: pages are limited by address. [faults: 182] */
export function pageRoute({ open, ...spec }: PageSpec): OpenRoute {
  return pageOfKnown({
    ...spec,
    open: (request, response, context) => {
      limitStranger(request, context);
      return open(request, response, context);
    },
  });
}

/** Of who shows a session, whom the page limits by itself, or an unguessable word of a setup. */
export function pageOfKnown({ failedAs = pageFailed, ...spec }: PageSpec): OpenRoute {
  return openRoute({ ...spec, failures: failingAs(failedAs) });
}

/** What is posted has limits of its own, by what it does. */
export function limitStranger(request: Request, { pageLimits, trustProxyHops }: RouteContext): void {
  if (request.method !== 'POST') pageLimits.take('address', clientAddress(request, trustProxyHops));
}
