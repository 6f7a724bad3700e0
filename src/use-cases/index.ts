/**
 * Everything a client, a person in the setup flow, the upstream platform or an operator can do, one folder per area. `src/http`
 * calls these and nothing else; `make-use-cases.ts` gives them the ports. Refusals are thrown as `Fault`.
 */
import type { Actor } from './audit/actor.ts';
import type { Injected } from './inject-deps.ts';
import type { useCases } from './areas.ts';

export type * from './audit/actor.ts';
export type * from './caller.ts';
export type * from './channels/types.ts';
export type * from './connecting/types.ts';
export type * from './deliveries/types.ts';
export type * from './home/types.ts';
export type * from './licences/types.ts';
export type * from './media/types.ts';
export type * from './messages/types.ts';
export type * from './operating/types.ts';
export type * from './requests/types.ts';
export type * from './templates/types.ts';
export type * from './people/types.ts';

type EveryUseCase = Injected<typeof useCases>;

export interface UseCases extends EveryUseCase {
  /** The same use-cases, recorded in the audit log under `actor`. */
  actedBy(actor: Actor): UseCases;
}
