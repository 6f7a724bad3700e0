/** One acceptance run, from the dialog to the report. */
import type { ChannelType } from '../../rules/vocabulary.ts';
import { connect, end, look, openAccount, type Account } from './connect.ts';
import { receiveContext } from './context.ts';
import { withEndpoint } from './endpoint.ts';
import { sendExtras } from './extras.ts';
import { Feed } from './feed.ts';
import { downloadFile, profile, receive, receiveEdited, send } from './messages.ts';
import { loseAccess, refuse } from './refusals.ts';
import { writeReport } from './report.ts';
import { compare, skip, type Finding, type Person, type Run } from './run.ts';
import { Service } from './service.ts';
import { giveWebhook, receiveReaction, signal } from './signals.ts';
import { templates } from './templates.ts';
import { countHosts, describeToken, recordHosts } from './token.ts';

interface AcceptanceOptions {
  readonly url: string;
  /** The operators' listener; the same URL without one. */
  readonly admin: { url: string; token: string };
  readonly channelType: ChannelType;
  readonly person: Person;
  readonly folder: string;
  readonly patienceMs: number;
}

interface Accepted {
  readonly findings: readonly Finding[];
  /** Of the account that the run made and suspended. */
  readonly email: string;
  readonly channelId: string | null;
}

/** Runs every step, ends account and channel, and writes the report. Rejects when no channel could be connected. */
export async function accept({ url, admin, folder, ...rest }: AcceptanceOptions): Promise<Accepted> {
  const service = new Service(url, admin);
  const findings: Finding[] = [];
  const account = await openAccount(service);
  let channelId: string | null = null;
  try {
    channelId = await connect({ service, findings, ...rest });
    await steps({ service, findings, channelId, ...rest }, account);
  } finally {
    // What ended the run is thrown on, not that the service could not be told of its end.
    await end({ service, findings }, account, channelId).catch(() =>
      compare({ findings }, 'end: channel and account', 'ended', 'the service did not answer'),
    );
    writeReport(folder, findings, service.exchanges);
  }
  return { findings, email: account.email, channelId };
}

async function steps(begun: Omit<Run, 'feed'>, { key }: Account): Promise<void> {
  const feed = await Feed.open(begun.service.url, key, begun.service.exchanges);
  const run = { ...begun, feed };
  try {
    await look(run);
    await describeToken(run);
    const hosts = await countHosts(run);
    const isKnown = await giveWebhook(run);
    const { from, mediaId, messageId } = await withEndpoint(run, () => receive(run));
    await downloadFile(run, mediaId);
    await recordHosts(run, hosts);
    await receiveContext(run);
    await receiveEdited(run);
    await receiveReaction(run);
    if (from === null) for (const step of ['send', 'profile', 'refusals']) skip(run, step);
    else {
      await send(run, from);
      await signal(run, isKnown ? messageId : null);
      await sendExtras(run, from);
      await profile(run, from);
      await refuse(run, from);
    }
    await templates(run);
    if (from !== null) await loseAccess(run, from);
  } finally {
    feed.close();
  }
}
