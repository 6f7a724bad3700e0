import { listAudit, pageAudit, pageOwnAudit } from '../audit/index.ts';
import {
  diagnoseChannel,
  probeChannelNow,
  inspectChannel,
  listFailing,
  listRefusedTokens,
} from './channels.ts';
import {
  findAccounts,
  accountsOf,
  inspectAccount,
  listAccounts,
  suspendAccount,
  accountVolume,
  givenUpLately,
} from './accounts.ts';
import { listTroubled } from './troubled.ts';
import { sendMailNow, listMails } from './mails.ts';
import { beginOperating, endOperating, isOperating } from './session.ts';
import { listQuarantine, dropQuarantined, retryQuarantined } from '../quarantine/quarantine-items.ts';
import { checkUpstream } from '../platform/check-upstream.ts';
import { noteHandshake } from '../platform/notes.ts';
import { drain, listNodes } from './nodes.ts';

export const operatingUseCases = {
  accountsOf,
  listAccounts,
  inspectAccount,
  listMails,
  listQuarantine,
  listNodes,
  checkUpstream,
  inspectChannel,
  listFailing,
  listRefusedTokens,
  listTroubled,
  accountVolume,
  givenUpLately,
  listAudit,
  pageAudit,
  pageOwnAudit,
  findAccounts,
  diagnoseChannel,
  noteHandshake,
  isOperating,
  endOperating,
  dropQuarantined,
  retryQuarantined,
  probeChannelNow,
  sendMailNow,
  beginOperating,
  suspendAccount,
  drain,
};
