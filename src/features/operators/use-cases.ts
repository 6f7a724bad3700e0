import type { Snapshot } from '../audit/audited.ts';
import { audited, unrecorded } from '../audit/audited.ts';
import { listAudit, pageAudit, pageOwnAudit } from '../audit/log.ts';
import { accountSnapshot } from '../audit/snapshots.ts';
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
import type { UseCaseDeps } from '../world.ts';
import type { NodeInsight } from '../../storage/nodes-port.ts';

export const operatingUseCases = {
  ...unrecorded('reads', {
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
  }),
  ...unrecorded('session', {
    noteHandshake,
    isOperating,
    endOperating,
  }),
  dropQuarantined: audited(dropQuarantined, { action: 'put-aside.dropped', before: quarantinedBefore }),
  retryQuarantined: audited(retryQuarantined, { action: 'put-aside.tried-again', before: quarantinedBefore }),
  probeChannelNow: audited(probeChannelNow, { action: 'channel.looked-at', before: channelOnly }),
  sendMailNow: audited(sendMailNow, {
    action: 'mail.sent-now',
    before: async ({ stores }, mailId) => {
      const mail = await stores.mails.unsent(mailId);
      return mail === null ? null : { accountId: mail.accountId, subject: mailId, shown: null };
    },
  }),
  beginOperating: audited(beginOperating, {
    action: 'operator.signed-in',
    after: () => ({ accountId: null, subject: null, shown: null }),
  }),
  suspendAccount: audited(suspendAccount, {
    action: 'account.suspended-or-resumed',
    written: ({ before, after }) => ({ before: accountSnapshot(before), after: accountSnapshot(after) }),
  }),
  drain: audited(drain, {
    action: 'node.drained',
    before: (_deps, nodeId = null) => ({ accountId: null, subject: nodeId, shown: null }),
  }),
};

async function quarantinedBefore({ stores }: UseCaseDeps, id: string): Promise<Snapshot | null> {
  const item = await stores.quarantine.find(id);
  if (item === null) return null;
  const { accountId, reason, kind, channelId, times } = item;
  return { accountId, subject: id, shown: { reason, kind, channel_id: channelId, times } };
}

async function channelOnly({ stores }: UseCaseDeps, channelId: string): Promise<Snapshot | null> {
  const channel = await stores.channels.byId(channelId);
  return channel === null ? null : { accountId: channel.accountId, subject: channelId, shown: null };
}

function listNodes({ cluster }: UseCaseDeps): Promise<NodeInsight[]> {
  return cluster.nodes();
}

/** As `ClusterView.drain`. [operator-interface §3] */
function drain({ cluster }: UseCaseDeps, nodeId: string | null = null): Promise<void> {
  return cluster.drain(nodeId);
}
