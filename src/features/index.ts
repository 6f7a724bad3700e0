/**
 * Everything a client, a person in the setup flow, the upstream platform or an operator can do, one folder per area. `src/http`
 * calls these and nothing else; `make-use-cases.ts` gives them the ports. Refusals are thrown as `Fault`.
 */
import type { Actor } from '../rules/caller.ts';
import type { Injected } from './world.ts';
import { accountUseCases } from './accounts/use-cases.ts';
import { channelUseCases } from './channels/use-cases.ts';
import { connectingUseCases } from './connecting/use-cases.ts';
import { deliveryUseCases } from './deliveries/use-cases.ts';
import { homeOverview } from './home/service.ts';
import { licenceUseCases } from './licences/use-cases.ts';
import { openMedia } from './media/open-media.ts';
import { messageUseCases } from './messages/use-cases.ts';
import { operatingUseCases } from './operators/use-cases.ts';
import { peopleUseCases } from './people/use-cases.ts';
import { templateUseCases } from './templates/use-cases.ts';

export type * from './requests/list-requests.ts';
export type * from '../rules/caller.ts';
export type * from './channels/types.ts';
export type * from './connecting/types.ts';
export type * from './deliveries/types.ts';
export type * from './home/service.ts';
export type * from './licences/types.ts';
export type * from './messages/types.ts';
export type * from './operators/types.ts';
export type { EndedRequest } from './requests/request-log.ts';
export type { RequestFilter } from './requests/store.ts';
export type * from './templates/types.ts';
export type * from './people/types.ts';
export type { CheckedLine, CheckedUpstream } from './platform/check-upstream.ts';

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
  homeOverview,
  ...messageUseCases,
  openMedia,
  ...templateUseCases,
  ...operatingUseCases,
  ...peopleUseCases,
};
