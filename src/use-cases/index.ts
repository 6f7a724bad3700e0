/**
 * Everything a client, a person in the setup flow, the upstream platform or an operator can do, one folder per area. `src/http`
 * calls these and nothing else; `make-use-cases.ts` gives them the ports. Refusals are thrown as `Fault`.
 */
import type { Actor } from '../rules/caller.ts';
import type { Injected } from './deps.ts';
import { accountUseCases } from '../features/accounts/use-cases.ts';
import { unrecorded } from '../features/audit/audited.ts';
import type { SaysWhetherAudited } from '../features/audit/audited.ts';
import { channelUseCases } from '../features/channels/use-cases.ts';
import { connectingUseCases } from '../features/connecting/use-cases.ts';
import { deliveryUseCases } from '../features/deliveries/use-cases.ts';
import { homeOverview } from '../features/home/service.ts';
import { licenceUseCases } from '../features/licences/use-cases.ts';
import { openMedia } from '../features/media/open-media.ts';
import { messageUseCases } from '../features/messages/use-cases.ts';
import { operatingUseCases } from '../features/operators/use-cases.ts';
import { peopleUseCases } from '../features/people/use-cases.ts';
import { templateUseCases } from '../features/templates/use-cases.ts';

export type * from '../features/requests/list-requests.ts';
export type * from '../rules/caller.ts';
export type * from '../features/channels/types.ts';
export type * from '../features/connecting/types.ts';
export type * from '../features/deliveries/types.ts';
export type * from '../features/home/service.ts';
export type * from '../features/licences/types.ts';
export type * from '../features/messages/types.ts';
export type * from '../features/operators/types.ts';
export type { EndedRequest } from '../features/requests/request-log.ts';
export type { RequestFilter } from '../features/requests/port.ts';
export type * from '../features/templates/types.ts';
export type * from '../features/people/types.ts';
export type { CheckedLine, CheckedUpstream } from '../features/platform/check-upstream.ts';

type EveryUseCase = Injected<typeof useCases>;

export interface UseCases extends EveryUseCase {
  /** The same use-cases, recorded in the audit log under `actor`. */
  actedBy(actor: Actor): UseCases;
}

/** Use-cases that requests call, area by area. */
export const useCases = {
  ...accountUseCases,
  ...licenceUseCases,
  ...channelUseCases,
  ...connectingUseCases,
  ...deliveryUseCases,
  ...unrecorded('session', { homeOverview }),
  ...messageUseCases,
  ...unrecorded('reads', { openMedia }),
  ...templateUseCases,
  ...operatingUseCases,
  ...peopleUseCases,
} satisfies Record<string, SaysWhetherAudited>;
