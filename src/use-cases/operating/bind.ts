import type { UseCaseDeps } from '../deps.ts';
import { inspectAccount, listAccounts } from './accounts.ts';
import { listMails } from './list-mails.ts';
import { inspectChannel } from './inspect-channel.ts';
import { listFailing } from './list-failing.ts';
import type { OperatingUseCases } from './use-cases.ts';

export function bindOperating(deps: UseCaseDeps): OperatingUseCases {
  return {
    listAccounts: (email, page) => listAccounts(deps, email, page),
    inspectAccount: (accountId) => inspectAccount(deps, accountId),
    listMails: (accountId, page) => listMails(deps, accountId, page),
    async listQuarantine(page) {
      await deps.quarantine.keep();
      return deps.stores.quarantine.list(page);
    },
    listNodes: () => deps.cluster.nodes(),
    inspectChannel: (channelId) => inspectChannel(deps, channelId),
    listFailing: () => listFailing(deps),
    drain: () => deps.cluster.drain(),
  };
}
