import { dayMs } from '../kernel/clock.ts';
import type { World } from './world.ts';

/** Settings that the pages show before sign-in. */
interface PortalTerms {
  signup: boolean;
  trialDays: number;
  trialTier: string;
  /** False without a mail server: then mails are only shown to operators. */
  sendsMail: boolean;
  /** Retention of the logs of messages and deliveries, in days. */
  logDays: number;
}

/** They need no sign-in. */
export function portalTerms({ settings }: World): PortalTerms {
  const { signup, trialDays, trialTier, sendsMail, deliveryLogMs } = settings;
  return { signup, trialDays, trialTier, sendsMail, logDays: deliveryLogMs / dayMs };
}
