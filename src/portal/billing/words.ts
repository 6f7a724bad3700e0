/** Where a licence is from. */
export const sourceWords = { trial: 'trial', billing_provider: 'paid', enterprise: 'granted' } as const;
