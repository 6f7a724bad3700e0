import type { SignedInContext } from '../../route.ts';
import { listTemplates } from '../list.ts';
import type { VNode } from 'preact';
import { unfillablePart, whyUnsendable } from '../rules/sendable.ts';
import { variablesSummary } from '../../../rules/templates/variables.ts';
import { isEditable } from '../../../rules/templates/template.ts';
import type { Template } from '../../../rules/templates/template.ts';
import { channelTypes } from '../../../rules/vocabulary.ts';
import type { PageRequest } from '../../../kernel/paging.ts';
import type { TemplateList, TemplateQuery } from '../types.ts';
import { Alert } from '../../../pages/forms/field.tsx';
import { FilterForm } from '../../../pages/list/filter.tsx';
import { Form } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { Done, Badge } from '../../../pages/components.tsx';
import { Empty, FirstStep } from '../../../pages/list/empty.tsx';
import { Maybe } from '../../../pages/time.tsx';
import { More, pageIn } from '../../../pages/list/paging.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import type { Trait } from '../../../pages/list/rows.tsx';
import { Doing } from '../../../pages/reader-role.tsx';
import { answerShell } from '../../../pages/shell.tsx';
import { buttonNames } from './buttons.tsx';
import { templatesPath, channelsPath, channelPath } from '../../../pages/paths.ts';
import { channelField, firstChannel, takesTemplates } from '../../channels/index.ts';

/** More than the platform allows. */
const maxName = 600;

const templateKinds = channelTypes.filter(takesTemplates).join(', ');

export async function show(context: SignedInContext, problems: Problems): Promise<void> {
  const field = await channelField(context, { fits: takesTemplates, any: 'name, number or id' });
  const channel =
    field.channel ??
    (field.choices === null ? await firstChannel(context.world, context.caller, takesTemplates) : null);
  answerShell(context, {
    title: 'Templates',
    at: templatesPath,
    status: problems.status,
    children: (
      <>
        <Alert problems={problems} />
        {channel === null && field.choices === null ? (
          <FirstStep path={channelsPath} word="Connect a channel">
            Templates belong to channels of the kind {templateKinds}, and none is connected.
          </FirstStep>
        ) : (
          <>
            <FilterForm
              path={templatesPath}
              filter={{ channel: field.with(channel) }}
              query={channel === null ? '' : `channel=${channel.id}`}
            />
            {channel === null ? field.choices : await list(context, channel.id)}
          </>
        )}
      </>
    ),
  });
}

/**
 * The stored templates. The platform is asked here only if it was never asked before; else by the button, and by the service from time to
 * time.
 */
async function known(
  context: SignedInContext,
  channelId: string,
  { name, page }: { name: string | null; page: PageRequest },
): Promise<{ found: TemplateList; problems: Problems }> {
  const ask = (sync: TemplateQuery['sync']): Promise<TemplateList> =>
    listTemplates(context.world, context.caller, channelId, { sync, status: null, name, page });
  const tried = await trying(() => ask('first'));
  return 'problems' in tried
    ? { found: await ask(false), problems: tried.problems }
    : { found: tried.done, problems: noProblems };
}

async function list(context: SignedInContext, channelId: string): Promise<VNode> {
  const page = pageIn(context.query);
  // As the search leads here.
  const name = context.query.get('name')?.slice(0, maxName) ?? null;
  const { found, problems } = await known(context, channelId, { name, page });
  const path = `${templatesPath}?channel=${channelId}`;
  return (
    <>
      <Alert problems={problems} />
      {name === null ? null : (
        <p>
          Those called <code>{name}</code>. <a href={path}>All of the channel</a>
        </p>
      )}
      <Done words={doneWords} query={context.query} />
      <div class="inline">
        <Doing>
          <a class="button" href={`${channelPath(channelId)}/templates/new`}>
            New template
          </a>
        </Doing>
        <Sync context={context} channelId={channelId} found={found} />
      </div>
      {found.page.items.length === 0 ? (
        <Empty>
          <p>
            No template stored.<Doing> “Refresh” reads the templates from the platform.</Doing>
          </p>
        </Empty>
      ) : (
        <Rows
          heads={['Name', 'Language', 'Category', 'State', 'Variables', 'Buttons', '']}
          traits={traits}
          rows={found.page.items.map((each) => row(channelId, each))}
        />
      )}
      <More path={path} page={page} next={found.page.nextCursor} />
    </>
  );
}

const traits: readonly (readonly Trait[])[] = [['read-by'], [], ['p3'], ['state'], ['p4'], ['p4'], ['end']];

const doneWords: Readonly<Record<string, string>> = {
  made: 'Submitted. Its state changes here when the platform has reviewed it.',
  synced: 'Templates updated.',
  stale: 'The platform did not answer: this is the list as it was last read.',
  removed: 'The template is deleted.',
};

interface SyncProps {
  context: SignedInContext;
  channelId: string;
  found: TemplateList;
}

function Sync({ context, channelId, found }: SyncProps): VNode {
  return (
    <Form action={`${channelPath(channelId)}/templates/sync`} csrf={context.csrf} class="inline">
      <button class="quiet">Refresh</button>
      <span class="dim">
        last refreshed: <Maybe at={found.syncedAt} now={context.clock.now()} />
      </span>
    </Form>
  );
}

const tones: Readonly<Record<string, 'good' | 'bad'>> = {
  APPROVED: 'good',
  REJECTED: 'bad',
  PAUSED: 'bad',
  DISABLED: 'bad',
};

function row(channelId: string, template: Template): (VNode | string)[] {
  const { id, name, language, category, status, rejectedReason } = template;
  const at = `${channelPath(channelId)}/templates/${id}`;
  const unfillable = unfillablePart(template);
  return [
    <code>{name}</code>,
    language,
    category.toLowerCase(),
    <>
      <Badge tone={tones[status] ?? 'idle'}>{status.toLowerCase().replaceAll('_', ' ')}</Badge>
      {status === 'REJECTED' && rejectedReason !== null ? <p class="hint">{rejectedReason}</p> : null}
      {unfillable === null ? null : <p class="hint">{unfillable}</p>}
    </>,
    <span class="number">{variablesSummary(template).totalCount}</span>,
    buttonNames(template).join(', ') || 'none',
    <Doing>
      <div class="buttons">
        {whyUnsendable(template) === null ? (
          <Act at={`${at}/send`} word="Send" of={`${name} ${language}`} />
        ) : null}
        {isEditable(template) ? <Act at={`${at}/edit`} word="Edit" of={`${name} ${language}`} /> : null}
        <Act at={`${at}/delete`} word="Delete" of={`${name} ${language}`} />
      </div>
    </Doing>,
  ];
}

function Act({ at, word, of: what }: { at: string; word: string; of: string }): VNode {
  return (
    <a class="button quiet" href={at}>
      {word}
      <span class="unseen"> {what}</span>
    </a>
  );
}
