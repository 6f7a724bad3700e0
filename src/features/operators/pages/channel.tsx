/** The console's page of one channel, and what operators do with it. */
import { sendRedirect } from '../../../http/answers.ts';
import { readForm } from '../../../pages/forms/form.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { wasField } from '../../../pages/forms/was.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { releaseClaim } from '../../channels/index.ts';
import { bindChannel, licencePage } from '../../licences/index.ts';
import type { PageContext } from '../../route.ts';
import { findAccount } from '../accounts.ts';
import { diagnoseChannel, probeChannelNow } from '../channels.ts';
import { ChannelFacts } from './channel-facts.tsx';
import { Licences, licencesOffered } from './channel-licence.tsx';
import { Queue } from './channel-queue.tsx';
import { LastErrors } from './errors.tsx';
import { leadBackInConsole, operatorPage } from './session.ts';
import {
  accountsPath,
  answerConsole,
  answerConsoleConfirmation,
  channelsPath,
  ActionForm,
  nameAccount,
} from './shell.tsx';

const path = `${channelsPath}/{channel_id}`;
const makePath = (id: string): string => `${channelsPath}/${id}`;

async function show(context: PageContext): Promise<void> {
  const id = idIn(context, 'channel_id');
  const diagnosis = await diagnoseChannel(context.world, id);
  const { channel } = diagnosis;
  const account = await findAccount(context.world, channel.accountId);
  const first = { limit: licencesOffered, cursor: null };
  const licences = await licencePage(context.world, channel, first);
  answerConsole(context, {
    title: channel.name ?? 'Channel',
    at: accountsPath,
    children: (
      <>
        <ChannelFacts diagnosis={diagnosis} account={account} now={context.clock.now()} />
        <Queue queue={diagnosis.queue} />
        <LastErrors errors={diagnosis.errors} now={context.clock.now()} />
        <section aria-labelledby="do">
          <h2 id="do">What you can do</h2>
          <ActionForm context={context} action={`${makePath(id)}/look`} word="Look again now" />
          <Licences
            context={context}
            action={`${makePath(id)}/licence`}
            diagnosis={diagnosis}
            licences={licences}
          />
          {channel.isActive ? (
            <p>The platform’s number or page stays this account’s while the channel is active.</p>
          ) : (
            <a class="button quiet" href={`${makePath(id)}/release`}>
              Release the claim
            </a>
          )}
        </section>
      </>
    ),
  });
}

async function askRelease(context: PageContext): Promise<void> {
  const id = idIn(context, 'channel_id');
  const { channel } = await diagnoseChannel(context.world, id);
  const account = await findAccount(context.world, channel.accountId);
  answerConsoleConfirmation(context, {
    title: 'Release the claim',
    at: accountsPath,
    children: (
      <p>
        The {channel.channelType} channel <b>{channel.name ?? channel.identity}</b> of{' '}
        <b>{nameAccount(account)}</b>: any account can then connect its number or page. The channel and what
        it has done stay with their account. This can’t be undone.
      </p>
    ),
    action: `${makePath(id)}/release`,
    yes: 'Release it',
    back: makePath(id),
  });
}

/** A form that performs one action on the channel and redirects back to its page. */
const doing =
  (work: (context: PageContext, id: string, form: ReadForm) => Promise<void>) =>
  async (context: PageContext): Promise<void> => {
    const form = await readForm(context);
    const id = idIn(context, 'channel_id');
    await work(context, id, form);
    sendRedirect(context.response, makePath(id));
  };

export const channelPages = [
  operatorPage({ get: path, name: 'consoleChannel', open: show }),
  operatorPage({
    post: `${path}/look`,
    name: 'consoleLook',
    open: doing(({ world, by }, id) => probeChannelNow(world, by, id)),
  }),
  operatorPage({
    post: `${path}/licence`,
    name: 'consoleBind',
    open: doing(async ({ world, by }, id, form) => {
      const [was] = form.all(wasField('subscription'));
      const seen = was === undefined ? {} : { subscriptionId: was || null };
      await bindChannel(world, by, id, form.text('subscription') || null, seen);
    }),
  }),
  operatorPage({ get: `${path}/release`, name: 'askRelease', open: askRelease }),
  operatorPage({
    post: `${path}/release`,
    name: 'consoleRelease',
    open: doing(async ({ world, by }, id) => {
      await releaseClaim(world, by, id);
    }),
  }),
  ...['look', 'licence'].map((action) =>
    leadBackInConsole(`${path}/${action}`, (context) => makePath(idIn(context, 'channel_id'))),
  ),
];
