/** Routes of all pages for people, for `src/http` to mount, in matching order. */
import type { Route } from '../http/route.ts';
import { assetRoute, faviconRoute } from './assets.ts';
import { ownAuditPages } from '../features/audit/pages/own.tsx';
import { billingPages } from '../features/licences/pages/billing.tsx';
import { channelPage } from '../features/channels/pages/channel.tsx';
import { channelPages } from '../features/channels/pages/channels.tsx';
import { deliveriesPage } from '../features/deliveries/pages/deliveries.tsx';
import { deliveryLog } from '../features/deliveries/pages/delivery.tsx';
import { replayPages } from '../features/deliveries/pages/replay.tsx';
import { docsRoutes } from '../features/docs/docs.tsx';
import { docPageRoutes } from '../features/docs/pages.tsx';
import { verifyRoute } from '../features/docs/verify.tsx';
import { homePages } from '../features/home/pages/home.tsx';
import { keyPages } from '../features/accounts/pages/keys.tsx';
import { olderKeysPages } from '../features/accounts/pages/older.tsx';
import { livePages } from '../features/live/pages/live.tsx';
import { mailPages } from '../features/mails/pages/mails.tsx';
import { invitationRoutes } from '../features/people/pages/invitation.tsx';
import { leavePages, peoplePages } from '../features/people/pages/people.tsx';
import { personPages } from '../features/people/pages/person.tsx';
import { accountPages } from '../features/people/pages/account.tsx';
import { forgotRoutes } from '../features/people/pages/forgot.tsx';
import { linkRoutes } from '../features/people/pages/links.tsx';
import { signInRoutes } from '../features/people/pages/sign-in.tsx';
import { signUpRoutes } from '../features/people/pages/sign-up.tsx';
import { messagePage } from '../features/messages/pages/message.tsx';
import { messagesPage } from '../features/messages/pages/messages.tsx';
import { redirectPages } from '../features/redirects/pages/redirects.tsx';
import { requestsPage } from '../features/requests/pages/requests.tsx';
import { templatePages } from '../features/templates/pages/templates.tsx';
import { operatorPages } from '../features/operators/pages/index.ts';
import { setupRoutes } from '../features/connecting/pages/routes.ts';

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
