/**
 * Everything a client, a person in the setup flow, the upstream platform or an operator can do, one file per area. `src/http`
 * calls these and nothing else; `bind-use-cases.ts` builds them from the ports. Refusals are thrown as `Fault`.
 */
import type { AccountUseCases } from './accounts/use-cases.ts';
import type { ChannelUseCases } from './channels/use-cases.ts';
import type { ConnectingUseCases } from './connecting/use-cases.ts';
import type { DeliveryUseCases } from './deliveries/use-cases.ts';
import type { LicenceUseCases } from './licences/use-cases.ts';
import type { MediaUseCases } from './media/use-cases.ts';
import type { MessageUseCases } from './messages/use-cases.ts';
import type { OperatingUseCases } from './operating/use-cases.ts';
import type { PeopleUseCases } from './people/use-cases.ts';
import type { RedirectUseCases } from './redirects/use-cases.ts';
import type { TemplateUseCases } from './templates/use-cases.ts';

export type * from './caller.ts';
export type * from './channels/use-cases.ts';
export type * from './connecting/use-cases.ts';
export type * from './deliveries/use-cases.ts';
export type * from './licences/use-cases.ts';
export type * from './media/use-cases.ts';
export type * from './messages/use-cases.ts';
export type * from './operating/use-cases.ts';
export type * from './templates/use-cases.ts';
export type * from './people/use-cases.ts';

export interface UseCases
  extends
    AccountUseCases,
    LicenceUseCases,
    ChannelUseCases,
    ConnectingUseCases,
    DeliveryUseCases,
    RedirectUseCases,
    MessageUseCases,
    TemplateUseCases,
    MediaUseCases,
    OperatingUseCases,
    PeopleUseCases {}
