/** Words for the source of a licence. */
export const sourceWords = { trial: 'trial', billing_provider: 'paid', enterprise: 'granted' } as const;
