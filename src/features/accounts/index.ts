/** What other features call. */
export type { NotLowered } from './account-people.ts';
export { noteChannelWords } from './account-words.ts';
export { maxAccountName, maxNote, maxReason } from './account.ts';
export type { Account, ApiKey } from './account.ts';
export { checkedEmail, emailProblem } from './checked-email.ts';
export { createAccount, createKeylessAccount } from './create-account.ts';
export type { CreatedKey } from './keys.ts';
export { createKey, listKeys, maxKeyName, readKey, revokeKey } from './keys.ts';
export { KeyEnd, LastUse, showScopes } from './pages/keys.tsx';
export { olderKeysPath } from './pages/older.tsx';
export { KeyTabs } from './pages/tabs.tsx';
export { searchPrefixes } from './search-words.ts';
export { accountSnapshot } from './snapshot.ts';
