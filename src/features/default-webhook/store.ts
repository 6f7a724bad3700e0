/** The default webhook of each account that has one. */
import type { SealedText } from '../../kernel/sealed.ts';
import type { Patched, RecordsOf } from '../../storage/records.ts';
import { defaultWebhooks } from './entity.ts';
import type { DefaultWebhook } from './entity.ts';

type DefaultSettings = Omit<DefaultWebhook, 'accountId' | 'version'>;

/** Each lost race is another writer's success; people change it by hand. */
const maxTries = 20;

export function noDefault(accountId: string): DefaultWebhook {
  return {
    accountId,
    webhookUrl: null,
    webhookSecret: null,
    webhookEvents: null,
    failedRetentionDays: null,
    version: 0,
  };
}

export function defaultWebhookStore(recordsOf: RecordsOf) {
  const records = recordsOf(defaultWebhooks);
  return {
    /** null: never set. */
    of: (accountId: string): Promise<DefaultWebhook | null> => records.one({ accountId }),
    /** Of any account, by its id, the first `limit` after `after`. */
    after: (after: string, limit: number): Promise<DefaultWebhook[]> =>
      records.list({ by: 'byAccount', after: [after], limit }),
    /** Writes the same secret, sealed under another key, unless it was changed meanwhile. */
    async replaceSecret(accountId: string, webhookSecret: SealedText, anew: SealedText): Promise<void> {
      await records.patch({ which: { accountId, webhookSecret }, change: { set: { webhookSecret: anew } } });
    },
    /** Compare-and-set on what `change` was given. The default before and after this very write. */
    async change(
      accountId: string,
      change: (before: DefaultWebhook) => Partial<DefaultSettings>,
    ): Promise<Patched<DefaultWebhook>> {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const found = await records.one({ accountId });
        const before = found ?? noDefault(accountId);
        const set = { ...change(before), version: before.version + 1 };
        if (found === null) await records.insert(before);
        const { version } = before;
        const changed = await records.patchBoth({ which: { accountId, version }, change: { set } });
        if (changed !== null) return changed;
      }
      throw new Error('the default webhook of an account changes without end');
    },
  };
}
