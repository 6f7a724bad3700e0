import { newDigits } from './ids.ts';
import type { Waba } from './model.ts';

/** Whose id the entry has: the business account itself, or the portfolio of the app's owner [upstream protocol 4.6]. */
type EntryOwner = 'waba' | 'portfolio';

/** An `account_update`: the id of its entry, and the members beside `event`. */
type AccountUpdate = { readonly entry: EntryOwner; readonly members: (waba: Waba, appId: string) => object };

/** The portfolio of the app's owner, a partner of every business of the simulator. */
const partnerPortfolio = '600000000000001';

const wabaInfo = ({ id, businessId }: Waba): Record<string, unknown> => ({
  waba_id: id,
  owner_business_id: businessId,
});
const partner = (more: (waba: Waba) => object = () => ({})): AccountUpdate => ({
  entry: 'portfolio',
  members: (waba) => ({ waba_info: wabaInfo(waba), ...more(waba) }),
});
/** A partner may have several apps: which one it is about is named [upstream's reference of the webhook, 2025-12-05]. */
const partnerApp: AccountUpdate = {
  entry: 'portfolio',
  members: (waba, appId) => ({ waba_info: { ...wabaInfo(waba), partner_app_id: appId } }),
};
const own = (members: (waba: Waba) => object = () => ({})): AccountUpdate => ({ entry: 'waba', members });

/**
 * Every event of the field `account_update`. Names: upstream's reference of the webhook (2026-04-20) and of clients that were moved off
 * (2026-05-21). Where no sample was found the value has the event alone.
 */
const updates = {
  PARTNER_ADDED: partner(),
  PARTNER_REMOVED: partner(() => ({
    disconnection_info: { reason: 'PARTNER_DISCONNECTED', initiated_by: 'BUSINESS' },
  })),
  PARTNER_APP_INSTALLED: partnerApp,
  PARTNER_APP_UNINSTALLED: partnerApp,
  PARTNER_CLIENT_CERTIFICATION_STATUS_UPDATE: partner(({ businessId }) => ({
    partner_client_certification_info: { client_business_id: businessId, status: 'APPROVED' },
  })),
  ACCOUNT_OFFBOARDED: own(),
  ACCOUNT_RECONNECTED: own(),
  ACCOUNT_DELETED: own(),
  ACCOUNT_RESTRICTION: own(() => ({
    restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: '1800000000' }],
  })),
  ACCOUNT_VIOLATION: own(() => ({ violation_info: { violation_type: 'SCAM' } })),
  DISABLED_UPDATE: own(() => ({ ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: '2026-11-28' } })),
  BUSINESS_PRIMARY_LOCATION_COUNTRY_UPDATE: own(() => ({ country: 'US' })),
  VOLUME_BASED_PRICING_TIER_UPDATE: own(() => ({
    volume_tier_info: { tier_update_time: 1_764_288_000, pricing_category: 'UTILITY', tier: '100001:200000' },
  })),
  AUTH_INTL_PRICE_ELIGIBILITY_UPDATE: own(() => ({
    auth_international_rate_eligibility: { start_time: 1_764_288_000, exception_countries: [] },
  })),
  AD_ACCOUNT_LINKED: own(() => ({ ad_account_info: { ad_account_linked: newDigits('71', 15) } })),
  MM_LITE_TERMS_SIGNED: partner(),
} satisfies Record<string, AccountUpdate>;

export type AccountUpdateName = keyof typeof updates;

export const accountUpdateNames = Object.keys(updates).filter((name): name is AccountUpdateName =>
  Object.hasOwn(updates, name),
);

/** The entry's id and the value of an `account_update` about this account. */
export function wordAccountUpdate(
  waba: Waba,
  event: AccountUpdateName,
  appId: string,
): { readonly entryId: string; readonly value: Record<string, unknown> } {
  const { entry, members } = updates[event];
  return {
    entryId: entry === 'waba' ? waba.id : partnerPortfolio,
    value: { event, ...members(waba, appId) },
  };
}
