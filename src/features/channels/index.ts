export { exchangeFields, toExchangePatch } from './settings-in-calls.ts';
export type { GivenSettings } from './settings-in-calls.ts';
