import { openRoute } from '../http/route.ts';
import type { OpenRoute, Request, Way } from '../http/route.ts';
import type { RouteContext } from '../http/options.ts';
import { clientAddress } from '../http/middleware/client-address.ts';
import { failingAs, pageFailed } from './failure.ts';
import type { Notice } from './notice.tsx';

export type PageRouteSpec<W> = Way &
  Omit<OpenRoute<W>, 'method' | 'path' | 'audience' | 'failures'> & {
    /** The notice after a failure; default: a general sentence. */
    failedAs?: Notice;
  };

/** A route that answers with pages, failures included. The visitor is unknown, so requests are limited by address. [faults: 182] */
export function pageRoute<W>({ open, ...spec }: PageRouteSpec<W>): OpenRoute<W> {
  return pageOfKnown({
    ...spec,
    open: (request, response, context) => {
      limitAnonymous(request, context);
      return open(request, response, context);
    },
  });
}

/** For a visitor with a session, whom the page limits itself, or with the unguessable secret of a setup. */
export function pageOfKnown<W>({ failedAs = pageFailed, ...spec }: PageRouteSpec<W>): OpenRoute<W> {
  return openRoute({ ...spec, failures: failingAs(failedAs) });
}

/** POSTs are not counted: each has a limit of its own. */
export function limitAnonymous(request: Request, { pageLimits, trustProxyHops }: RouteContext): void {
  if (request.method !== 'POST') pageLimits.take('address', clientAddress(request, trustProxyHops));
}
