/** Routes of all pages for people, for `src/http` to mount, in matching order. */
import type { Route } from '../http/route.ts';
import type { World } from './world.ts';
import { assetRoute, faviconRoute } from '../pages/assets.ts';
import { ownAuditPages } from './audit/pages/own.tsx';
import { billingPages } from './licences/pages/billing.tsx';
import { channelPage } from './channel-pages/channel.tsx';
import { channelPages } from './channel-pages/channels.tsx';
import { deliveriesPage } from './deliveries/pages/deliveries.tsx';
import { deliveryLog } from './deliveries/pages/delivery.tsx';
import { replayPages } from './deliveries/pages/replay.tsx';
import { docsRoutes } from './docs/docs.tsx';
import { docPageRoutes } from './docs/pages.tsx';
import { verifyRoute } from './docs/verify.tsx';
import { homePages } from './home/pages/home.tsx';
import { keyPages } from './accounts/pages/keys.tsx';
import { olderKeysPages } from './accounts/pages/older.tsx';
import { livePages } from './live/pages/live.tsx';
import { mailPages } from './mails/pages/mails.tsx';
import { invitationRoutes } from './people/pages/invitation.tsx';
import { leavePages, peoplePages } from './people/pages/people.tsx';
import { personPages } from './people/pages/person.tsx';
import { accountPages } from './people/pages/account.tsx';
import { forgotRoutes } from './people/pages/forgot.tsx';
import { linkRoutes } from './people/pages/links.tsx';
import { signInRoutes } from './people/pages/sign-in.tsx';
import { signUpRoutes } from './people/pages/sign-up.tsx';
import { messagePage } from './messages/pages/message.tsx';
import { messagesPage } from './messages/pages/messages.tsx';
import { redirectPages } from './redirects/pages/redirects.tsx';
import { requestsPage } from './requests/pages/requests.tsx';
import { templatePages } from './templates/pages/templates.tsx';
import { sendTemplatePages } from './messages/pages/send-template.tsx';
import { operatorPages } from './operators/pages/index.ts';
import { setupRoutes } from './connecting/pages/routes.ts';

export { liveSessionIn } from '../pages/session/cookies.ts';

export const pageRoutes: readonly Route<World>[] = [
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
  ...sendTemplatePages,
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
