/** The webhook that new channels start with, and its way to channels that are there already. */
import type { VNode } from 'preact';
import { eventTypes } from '../../../rules/events/table.ts';
import { channelTypes } from '../../../rules/vocabulary.ts';
import { maxFailedRetentionDays } from '../../../rules/channels/channel.ts';
import { fault } from '../../../kernel/faults.ts';
import { mayAs } from '../../../rules/person.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { EventChecks, checkedEvents } from '../../../pages/forms/check.tsx';
import { Alert, Field, NumberField } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { changedElsewhereWords } from '../../../pages/forms/was.ts';
import { Copyable, Done } from '../../../pages/components.tsx';
import { Doing } from '../../../pages/reader-role.tsx';
import { readFlash, redirectWithFlash } from '../../../pages/session/flash.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { channelsPath, defaultWebhookPath as path } from '../../../pages/paths.ts';
import { newWebhookSecret, toPatch } from '../../channels/index.ts';
import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { applyDefaultWebhook } from '../apply.ts';
import type { DefaultWebhook } from '../entity.ts';
import { defaultWebhookRequest } from '../routes.ts';
import { addressOf, readDefaultWebhook, updateDefaultWebhook } from '../service.ts';

interface Shown {
  problems?: Problems;
  /** What was refused. */
  typed?: ReadForm;
  said?: string;
}

async function show(context: SignedInContext, shown: Shown = {}): Promise<void> {
  const { problems = noProblems, typed, said } = shown;
  const secret = readFlash(context, path);
  const standing = await readDefaultWebhook(context.world, context.caller);
  answerShell(context, {
    title: 'Webhook of new channels',
    back: <a href={channelsPath}>All channels</a>,
    at: channelsPath,
    status: problems.status,
    children: (
      <>
        <p>
          A channel that is connected for the first time starts with this. Channels that are there already
          stay as they are, until you give it to them below. A channel without an address of its own sends the
          changes that the platform makes here, if they are chosen.
        </p>
        {said === undefined ? null : (
          <p class="note" role="status" tabindex={-1} autofocus>
            {said}
          </p>
        )}
        {secret === null ? null : (
          <p class="note" role="status" tabindex={-1} autofocus>
            Deliveries are signed with this secret. It is shown this once:{' '}
            <Copyable text={secret} label="the secret" />
          </p>
        )}
        <Done words={{ saved: 'Saved.' }} query={context.query} />
        <Settings context={context} standing={standing} problems={problems} typed={typed} />
        <Doing>
          <Apply context={context} standing={standing} />
        </Doing>
      </>
    ),
  });
}

interface SettingsProps {
  context: SignedInContext;
  standing: DefaultWebhook;
  problems: Problems;
  typed: ReadForm | undefined;
}

function Settings({ context, standing, problems, typed }: SettingsProps): VNode {
  const { webhookUrl, webhookEvents, webhookSecret, failedRetentionDays, version } = standing;
  const isReader = !mayAs(context.visitor.role, 'developer');
  const address = isReader ? addressOf(standing) : (webhookUrl ?? '');
  // After a conflict the person has seen that it was changed, so that saving again replaces it.
  const seen = problems.status === 409 ? undefined : typed?.all('version')[0];
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">Webhook</h2>
      <Form action={path} csrf={context.csrf} class="narrow">
        <Alert problems={problems} />
        <input type="hidden" name="version" value={seen ?? version} />
        <Field
          name="webhook_url"
          label="Address of your receiver"
          hint="Events are POSTed here. Empty: new channels have no webhook."
          value={typed?.text('webhook_url') ?? address}
          required={false}
          mono
          placeholder="https://app.example.com/webhooks"
          problems={problems}
        />
        <EventChecks events={eventTypes} chosen={webhookEvents ?? []} typed={typed} />
        <NumberField
          name="failed_retention_days"
          label="Days that a failed event can be sent again"
          hint="Empty: 3 for channels connected here, 0 for channels connected by the API."
          value={typed?.text('failed_retention_days') ?? String(failedRetentionDays ?? '')}
          max={maxFailedRetentionDays}
          problems={problems}
        />
        <button>Save</button>
      </Form>
      {webhookUrl === null ? null : (
        <Form action={`${path}/secret`} csrf={context.csrf}>
          <p>{webhookSecret === null ? 'Deliveries are not signed.' : 'Deliveries are signed.'}</p>
          <button class="quiet">Make a new secret for new channels</button>
        </Form>
      )}
    </section>
  );
}

function Apply({ context, standing }: { context: SignedInContext; standing: DefaultWebhook }): VNode | null {
  if (standing.webhookUrl === null) return null;
  return (
    <section aria-labelledby="apply">
      <h2 id="apply">Give it to channels that are there</h2>
      <p>They get its address, secret, events and days. What signed until now signs beside it for a day.</p>
      <Form action={`${path}/apply`} csrf={context.csrf} class="narrow">
        <div class="field">
          <label for="channel_type">Kind</label>
          <select id="channel_type" name="channel_type">
            <option value="">any</option>
            {channelTypes.map((type) => (
              <option value={type}>{type}</option>
            ))}
          </select>
        </div>
        <Field name="named" label="Part of the name" required={false} maxLength={100} problems={noProblems} />
        <label class="check">
          <input type="checkbox" name="without_webhook" checked />
          <span>only channels without an address</span>
        </label>
        <button>Give it to these channels</button>
      </Form>
    </section>
  );
}

async function save(context: SignedInContext): Promise<void> {
  const typed = await readForm(context);
  const [seen] = typed.all('version');
  const given = {
    webhook_url: typed.text('webhook_url') === '' ? null : typed.text('webhook_url'),
    webhook_events: checkedEvents(typed, eventTypes),
    failed_retention_days: daysIn(typed.text('failed_retention_days')),
  };
  const tried = await trying(async () =>
    updateDefaultWebhook(
      context.world,
      context.actor(),
      toPatch(context.parse(defaultWebhookRequest, given)),
      (standing) => {
        if (seen !== undefined && seen !== String(standing.version) && !isAs(given, standing))
          throw fault('conflict', { why: changedElsewhereWords() });
      },
    ),
  );
  if ('problems' in tried) return show(context, { problems: tried.problems, typed });
  const { webhookSecret } = tried.done;
  if (webhookSecret === null) sendRedirect(context.response, `${path}?saved`);
  else redirectWithFlash(context, path, webhookSecret);
}

interface Given {
  webhook_url: string | null;
  webhook_events: readonly string[];
  failed_retention_days: number | string | null;
}

/** The form was posted twice, or somebody else gave the same. */
function isAs(given: Given, { webhookUrl, webhookEvents, failedRetentionDays }: DefaultWebhook): boolean {
  const isSame = given.webhook_url === webhookUrl && given.failed_retention_days === failedRetentionDays;
  return isSame && given.webhook_events.toSorted().join(' ') === webhookEvents?.toSorted().join(' ');
}

/** Empty: not chosen. What is no number is refused as it was typed. */
function daysIn(typed: string): number | string | null {
  if (typed === '') return null;
  return Number.isNaN(Number(typed)) ? typed : Number(typed);
}

async function makeSecret(context: SignedInContext): Promise<void> {
  await readForm(context);
  const webhookSecret = newWebhookSecret();
  await updateDefaultWebhook(context.world, context.actor(), { webhookSecret });
  redirectWithFlash(context, path, webhookSecret);
}

async function apply(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const chosen = {
    channelType: channelTypes.find((type) => type === form.text('channel_type')) ?? null,
    named: form.text('named') === '' ? null : form.text('named'),
    withoutWebhook: form.text('without_webhook') === 'on',
  };
  const tried = await trying(async () => applyDefaultWebhook(context.world, context.actor(), chosen));
  if ('problems' in tried) return show(context, { problems: tried.problems });
  const { changed, hasMore } = tried.done;
  const channels = changed === 1 ? '1 channel has it now.' : `${changed} channels have it now.`;
  await show(context, { said: hasMore ? `${channels} There are more: give it again.` : channels });
}

/** [spec: Additions, A default webhook] */
export const defaultWebhookPages = [
  signedInPage({ get: path, name: 'defaultWebhookPage', open: (context) => show(context) }),
  signedInPage({ post: path, may: 'developer', name: 'saveDefaultWebhook', open: save }),
  signedInPage({ post: `${path}/secret`, may: 'developer', name: 'makeDefaultSecret', open: makeSecret }),
  leadBack(`${path}/secret`, () => path),
  signedInPage({ post: `${path}/apply`, may: 'developer', name: 'applyDefaultWebhook', open: apply }),
  leadBack(`${path}/apply`, () => path),
];
