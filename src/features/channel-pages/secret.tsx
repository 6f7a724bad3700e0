/** A new webhook secret: confirmed first if there is one already, and shown once. [operator-interface §4, rotation] */
import { signedInPage } from '../route.ts';
import type { SignedInContext } from '../route.ts';
import { readForm } from '../../pages/forms/form.tsx';
import { Copyable } from '../../pages/components.tsx';
import { answerConfirmation } from '../../pages/confirmation-page.tsx';
import { redirectWithFlash, readFlash } from '../../pages/session/flash.ts';
import { idIn } from '../../pages/session/pages.ts';
import { answerShell } from '../../pages/shell.tsx';
import { channelsPath, channelPath, channelTabPath } from '../../pages/paths.ts';
import { updateChannel, newWebhookSecret, channelAt } from '../channels/index.ts';

const path = `${channelPath('{channel_id}')}/secret`;

const madePath = (channelId: string): string => `${channelPath(channelId)}/secret/made`;

export function redirectToSecret(context: SignedInContext, channelId: string, secret: string): void {
  redirectWithFlash(context, madePath(channelId), secret);
}

async function ask(context: SignedInContext): Promise<void> {
  const { channel } = await channelAt(context);
  answerConfirmation(context, {
    title: 'A new webhook secret',
    at: channelsPath,
    question: `Make a new webhook secret for “${channel.name ?? channel.channelType}”?`,
    children: (
      <p>
        The next delivery is signed with it. For 24 hours deliveries also have a signature with the old
        secret: the second in <code>webhook-signature</code>, or <code>X-Webhook-Signature-Previous</code>;
        give your receiver the new secret by then.
      </p>
    ),
    action: `${channelPath(channel.id)}/secret`,
    yes: 'Make a new secret',
    no: { path: channelTabPath(channel.id, 'webhook'), word: 'Keep the old one' },
  });
}

async function rotate(context: SignedInContext): Promise<void> {
  await readForm(context);
  const channelId = idIn(context, 'channel_id');
  const webhookSecret = newWebhookSecret();
  await updateChannel(context.world, context.actor(), channelId, { webhookSecret });
  redirectToSecret(context, channelId, webhookSecret);
}

/** The only page that shows the secret. */
function show(context: SignedInContext): void {
  const channelId = idIn(context, 'channel_id');
  const secret = readFlash(context, madePath(channelId));
  answerShell(context, {
    title: 'The webhook secret',
    at: channelsPath,
    children: (
      <>
        {secret === null ? (
          <p>It was shown once and is not shown again. If you have not stored it, make a new one.</p>
        ) : (
          <>
            <p>
              Copy it now: <b>it is not shown again.</b> Every delivery from now on is signed with it, in the
              headers <code>webhook-signature</code> and <code>X-Webhook-Signature</code>.{' '}
              <a href="/docs/verify">How to check a signature</a>
            </p>
            <p class="secret">
              <Copyable text={secret} label="the webhook secret" />
            </p>
          </>
        )}
        <p>
          <a
            class="button"
            href={`${channelTabPath(channelId, 'webhook')}${secret === null ? '' : '?saved'}`}
          >
            {secret === null ? 'Back to the channel' : 'I have stored it'}
          </a>
        </p>
      </>
    ),
  });
}

export const secretPages = [
  signedInPage({ get: path, may: 'developer', name: 'secretPage', open: ask }),
  signedInPage({ post: path, may: 'developer', name: 'rotateSecret', open: rotate }),
  signedInPage({ get: `${path}/made`, name: 'madeSecretPage', open: show }),
];
