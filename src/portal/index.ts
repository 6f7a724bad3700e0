/** Routes of all pages for people, for `src/http` to mount, in matching order. */
import type { Route } from '../http/route.ts';
import { assetRoute, faviconRoute } from './assets.ts';
import { ownAuditPages } from './audit/own.tsx';
import { billingPages } from './billing.tsx';
import { channelPage } from './channels/channel.tsx';
import { channelPages } from './channels/channels.tsx';
import { deliveriesPage } from './deliveries/deliveries.tsx';
import { deliveryLog } from './deliveries/delivery.tsx';
import { replayPages } from './deliveries/replay.tsx';
import { docsRoutes } from './docs/docs.tsx';
import { docPageRoutes } from './docs/pages.tsx';
import { verifyRoute } from './docs/verify.tsx';
import { homePages } from './home/home.tsx';
import { keyPages } from './keys/keys.tsx';
import { olderKeysPages } from './keys/older.tsx';
import { livePages } from './live.tsx';
import { mailPages } from './mails.tsx';
import { invitationRoutes } from './people/invitation.tsx';
import { leavePages, peoplePages } from './people/people.tsx';
import { personPages } from './people/person.tsx';
import { accountPages } from './people/account.tsx';
import { forgotRoutes } from './people/forgot.tsx';
import { linkRoutes } from './people/links.tsx';
import { signInRoutes } from './people/sign-in.tsx';
import { signUpRoutes } from './people/sign-up.tsx';
import { messagePage } from './messages/message.tsx';
import { messagesPage } from './messages/messages.tsx';
import { redirectPages } from './redirects/redirects.tsx';
import { requestsPage } from './requests.tsx';
import { templatePages } from './templates/templates.tsx';
import { operatorPages } from './operators/index.ts';
import { setupRoutes } from './setup/routes.ts';

export { liveSessionIn } from './session/cookies.ts';

export const pageRoutes: readonly Route[] = [
  ...setupRoutes,
  ...signUpRoutes,
  ...signInRoutes,
  ...forgotRoutes,
  ...linkRoutes,
  ...invitationRoutes,
  ...accountPages,
  ...leavePages,
  ...peoplePages,
  ...personPages,
  ...ownAuditPages,
  ...homePages,
  ...channelPages,
  ...channelPage,
  ...keyPages,
  ...olderKeysPages,
  ...redirectPages,
  requestsPage,
  deliveriesPage,
  ...replayPages,
  ...deliveryLog,
  messagesPage,
  messagePage,
  ...templatePages,
  ...livePages,
  ...billingPages,
  ...mailPages,
  ...operatorPages,
  ...docsRoutes,
  ...docPageRoutes,
  verifyRoute,
  assetRoute,
  faviconRoute,
];
