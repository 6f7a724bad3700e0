import { inspectAccount, listAccounts } from './accounts.ts';
import { inspectChannel } from './inspect-channel.ts';
import { listFailing } from './list-failing.ts';
import { listMails } from './list-mails.ts';
import { listQuarantine } from './list-quarantine.ts';
import { dropQuarantined, retryQuarantined } from '../messages/put-aside.ts';
import { drain, listNodes } from './nodes.ts';

export const operatingUseCases = {
  listAccounts,
  inspectAccount,
  listMails,
  listQuarantine,
  dropQuarantined,
  retryQuarantined,
  listNodes,
  inspectChannel,
  listFailing,
  drain,
};
