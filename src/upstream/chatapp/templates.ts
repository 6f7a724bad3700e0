import type { Channel } from '../../rules/channels/channel.ts';
import { profileAs } from '../../rules/channels/profile.ts';
import { fault } from '../../kernel/faults.ts';
import type { NewTemplate, TemplateUpstream, UpstreamTemplate } from '../template-calls.ts';
import { requireSuccess } from '../graph.ts';
import type { Attempt, ChannelCalls, Graph, GraphCall } from '../graph.ts';
import { PageSize } from '../page-size.ts';
import { asId, asList, asRecord, asText } from '../read.ts';
import type { Json } from '../read.ts';
import { readTemplate, asWord } from './template-read.ts';
import { isUnknownTemplate, mayBeUnknownTemplate, toTemplateFault } from './template-refusal.ts';

interface TemplateCreate {
  name: string;
  language: string;
  category: string;
  parameter_format: 'POSITIONAL' | 'NAMED';
  components: readonly object[];
}

interface TemplateEdit {
  components: readonly object[];
  category?: string;
}

const fields =
  'id,name,language,status,category,parameter_format,components,quality_score,rejected_reason,last_updated_time';
/** Upstream allows 6,000 templates, 600 of the smallest pages; a list that continues after this never ends. [upstream §6.3] */
const maxPages = 800;

type TemplatesCall = Partial<GraphCall> & Pick<GraphCall, 'path'>;

/** Calls about the templates of a channel's business account. [upstream §6] */
export function makeTemplateCalls({ openGraph, openToken, log }: ChannelCalls): TemplateUpstream {
  const read = (channel: Channel) => readItems(pagesOf(openGraph(channel), channel, openToken(channel)));

  return {
    async list(channel) {
      const found: UpstreamTemplate[] = [];
      let malformed = 0;
      for await (const item of read(channel)) {
        const template = readTemplate(item);
        if (template === null) malformed += 1;
        else found.push(template);
      }
      if (malformed > 0) log.warn({ channel: channel.id, malformed }, 'upstream.templates-malformed');
      return found;
    },

    async create(channel, template) {
      const body = writeTemplateBody(template);
      const path = writeEdge(channel);
      const answer = await attempt(openGraph(channel), {
        method: 'POST',
        path,
        body,
        token: openToken(channel),
      });
      const upstreamId = asId(answer['id']);
      if (upstreamId === null) throw fault('upstream_failed', { why: 'its answer has no template id' });
      return {
        upstreamId,
        status: asWord(answer['status']) ?? 'PENDING',
        category: asWord(answer['category']) ?? template.category,
      };
    },

    async edit(channel, upstreamId, { components, category }) {
      const body: TemplateEdit = { components, ...(category === null ? {} : { category }) };
      const path = `/${encodeURIComponent(upstreamId)}`;
      const call: TemplatesCall = { method: 'POST', path, body: { ...body }, token: openToken(channel) };
      requireSuccess(await attempt(openGraph(channel), call), 'the edit');
    },

    async remove(channel, name, upstreamId) {
      // The id alone is not enough. [upstream §6.3]
      const query: Record<string, string> = { ...(upstreamId === null ? {} : { hsm_id: upstreamId }), name };
      const call: TemplatesCall = {
        method: 'DELETE',
        path: writeEdge(channel),
        query,
        token: openToken(channel),
      };
      const attempted = await openGraph(channel).attempt(call);
      if (attempted.ok) return requireSuccess(attempted.answer, 'the deletion');
      if (isUnknownTemplate(attempted.error)) return;
      if (mayBeUnknownTemplate(attempted.error) && !(await isListed(read(channel), name, upstreamId))) return;
      throw toTemplateFault(attempted, [call.token ?? '']);
    },
  };
}

/** The whole list is the proof. A template that cannot be read counts, so that it is not taken for deleted. */
async function isListed(
  list: AsyncGenerator<Json>,
  name: string,
  upstreamId: string | null,
): Promise<boolean> {
  for await (const item of list)
    if (upstreamId === null ? item['name'] === name : asId(item['id']) === upstreamId) return true;
  return false;
}

function writeEdge({ profile }: Channel): string {
  const businessAccountId = profileAs(profile, 'chatapp')?.businessAccountId;
  if (businessAccountId === undefined)
    throw fault('upstream_failed', { why: 'the channel names no business account; connect it again' });
  return `/${encodeURIComponent(businessAccountId)}/message_templates`;
}

type PageAfter = (after: string | null) => Promise<Json>;

function pagesOf(graph: Graph, channel: Channel, token: string): PageAfter {
  const size = new PageSize();
  return async (after) => {
    const cursor: Record<string, string> = after === null ? {} : { after };
    const page = (limit: string) =>
      graph.attempt({ path: writeEdge(channel), query: { fields, limit, ...cursor }, token });
    return answerOf(await size.attempt(page), token);
  };
}

/** Follows the cursors. Throws Fault `upstream_failed` for an incomplete list: templates missing in it would count as deleted. */
async function* readItems(pageAfter: PageAfter): AsyncGenerator<Json> {
  const seen = new Set<string>();
  let after: string | null = null;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const answer = await pageAfter(after);
    if (!Array.isArray(answer['data']))
      throw fault('upstream_failed', { why: 'its answer has no list of templates' });
    for (const item of asList(answer['data'])) yield asRecord(item) ?? {};
    const paging: Json | null = asRecord(answer['paging']);
    if (asText(paging?.['next']) === null) return;
    after = asText(asRecord(paging?.['cursors'])?.['after']);
    if (after === null || seen.has(after)) break;
    seen.add(after);
  }
  throw fault('upstream_failed', { why: 'its list of templates does not end' });
}

async function attempt(graph: Graph, call: TemplatesCall): Promise<Json> {
  return answerOf(await graph.attempt(call), call.token ?? '');
}

function answerOf(attempted: Attempt, token: string): Json {
  if (attempted.ok) return attempted.answer;
  throw toTemplateFault(attempted, [token]);
}

function writeTemplateBody({ name, language, category, parameterFormat, components }: NewTemplate): Json {
  const body: TemplateCreate = {
    name,
    language,
    category,
    parameter_format: parameterFormat === 'named' ? 'NAMED' : 'POSITIONAL',
    components,
  };
  return { ...body };
}
