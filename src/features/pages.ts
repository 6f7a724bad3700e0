/** The pages of all features for people. */
import type { Route } from '../http/route.ts';
import type { Place } from '../rules/portal-paths.ts';
import type { FeaturePages } from './route.ts';
import type { World } from './world.ts';
import { assetRoute, faviconRoute } from '../pages/assets.ts';
import { ownAuditPages } from './audit/pages/own.tsx';
import { billingPages } from './licences/pages/billing.tsx';
import { channelPages } from './channel-pages/channel.tsx';
import { defaultWebhookPages } from './default-webhook/pages/default-webhook.tsx';
import { deliveryPages } from './deliveries/pages/deliveries.tsx';
import { clientRoutes } from './docs/clients/clients.tsx';
import { docPages } from './docs/docs.tsx';
import { docPageRoutes } from './docs/pages.tsx';
import { verifyRoute } from './docs/verify.tsx';
import { homePages } from './home/pages/home.tsx';
import { keyPages } from './accounts/pages/keys.tsx';
import { olderKeysPages } from './accounts/pages/older.tsx';
import { livePages } from './live/pages/live.tsx';
import { mailPages } from './mails/pages/mails.tsx';
import { invitationRoutes } from './people/pages/invitation.tsx';
import { peoplePages } from './people/pages/people.tsx';
import { forgotRoutes } from './people/pages/forgot.tsx';
import { linkRoutes } from './people/pages/links.tsx';
import { signInRoutes } from './people/pages/sign-in.tsx';
import { signUpRoutes } from './people/pages/sign-up.tsx';
import { messagePages } from './messages/pages/messages.tsx';
import { redirectPages } from './redirects/pages/redirects.tsx';
import { requestPages } from './requests/pages/requests.tsx';
import { unknownPage } from './home/pages/unknown.ts';
import { searchPages } from './search/pages/search.tsx';
import { templatePages } from './templates/pages/templates.tsx';
import { operatorPages } from './operators/pages/index.ts';
import { setupRoutes } from './connecting/pages/routes.ts';

/** In the order of the navigation, and in matching order. */
export const featurePages: readonly FeaturePages[] = [
  // First, because the contract lists its paths in this order.
  { routes: setupRoutes },
  homePages,
  searchPages,
  messagePages,
  deliveryPages,
  requestPages,
  livePages,
  channelPages,
  { routes: defaultWebhookPages },
  templatePages,
  keyPages,
  { routes: olderKeysPages },
  redirectPages,
  docPages,
  peoplePages,
  ownAuditPages,
  billingPages,
  mailPages,
  { routes: [...docPageRoutes, verifyRoute, ...clientRoutes] },
  { routes: [...signUpRoutes, ...signInRoutes, ...forgotRoutes, ...linkRoutes, ...invitationRoutes] },
  { routes: operatorPages },
  // After all others: what none of them is.
  { routes: [unknownPage] },
];

/** The portal's navigation. */
export const places: readonly Place[] = featurePages.flatMap(({ place }) => place ?? []);

/** For `src/http` to mount. */
export const pageRoutes: readonly Route<World>[] = [
  ...featurePages.flatMap(({ routes }) => routes),
  assetRoute,
  faviconRoute,
];
