import { accountUseCases } from './accounts/use-cases.ts';
import { channelUseCases } from './channels/use-cases.ts';
import { connectingUseCases } from './connecting/use-cases.ts';
import { deliveryUseCases } from './deliveries/use-cases.ts';
import { homeUseCases } from './home/use-cases.ts';
import { licenceUseCases } from './licences/use-cases.ts';
import { mediaUseCases } from './media/use-cases.ts';
import { messageUseCases } from './messages/use-cases.ts';
import { operatingUseCases } from './operating/use-cases.ts';
import { peopleUseCases } from './people/use-cases.ts';
import { redirectUseCases } from './redirects/use-cases.ts';
import { requestUseCases } from './requests/use-cases.ts';
import { templateUseCases } from './templates/use-cases.ts';

/** What the doors ask for, area by area. */
export const useCases = {
  ...accountUseCases,
  ...licenceUseCases,
  ...channelUseCases,
  ...connectingUseCases,
  ...deliveryUseCases,
  ...homeUseCases,
  ...redirectUseCases,
  ...messageUseCases,
  ...requestUseCases,
  ...templateUseCases,
  ...mediaUseCases,
  ...operatingUseCases,
  ...peopleUseCases,
};
