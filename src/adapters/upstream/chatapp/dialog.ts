import type { DialogSettings } from '../kind.ts';

/** The login configuration contains the scopes, so the dialog's URL does not. [upstream §2.4] */
export const requiredScopes = ['whatsapp_business_management', 'whatsapp_business_messaging'] as const;

/**
 * This feature lets people connect a number that also lives in the phone's business app (dual-use) or, on the dialog's second page, any
 * other number. Without it dual-use numbers could not be connected. [upstream §2.4]
 */
const signupExtras = JSON.stringify({
  setup: {},
  featureType: 'whatsapp_business_app_onboarding',
  sessionInfoVersion: '3',
});

export function dialogParams({ signupConfigId }: DialogSettings): [name: string, value: string][] {
  return [
    ['config_id', signupConfigId],
    ['override_default_response_type', 'true'],
    ['extras', signupExtras],
  ];
}
