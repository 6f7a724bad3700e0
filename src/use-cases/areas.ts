import { accountUseCases } from './accounts/use-cases.ts';
import { unrecorded } from './audit/audited.ts';
import type { SaysWhetherAudited } from './audit/audited.ts';
import { channelUseCases } from './channels/use-cases.ts';
import { connectingUseCases } from './connecting/use-cases.ts';
import { deliveryUseCases } from './deliveries/use-cases.ts';
import { homeOverview } from './home/overview.ts';
import { licenceUseCases } from './licences/use-cases.ts';
import { openMedia } from './media/open.ts';
import { messageUseCases } from './messages/use-cases.ts';
import { operatingUseCases } from './operating/use-cases.ts';
import { peopleUseCases } from './people/use-cases.ts';
import { redirectUseCases } from './redirects/use-cases.ts';
import { listRequests } from './requests/list.ts';
import { templateUseCases } from './templates/use-cases.ts';

/** Use-cases that requests call, area by area. */
export const useCases = {
  ...accountUseCases,
  ...licenceUseCases,
  ...channelUseCases,
  ...connectingUseCases,
  ...deliveryUseCases,
  ...unrecorded('session', { homeOverview }),
  ...redirectUseCases,
  ...messageUseCases,
  ...unrecorded('reads', { listRequests, openMedia }),
  ...templateUseCases,
  ...operatingUseCases,
  ...peopleUseCases,
} satisfies Record<string, SaysWhetherAudited>;
