/** What clients see of templates. */
import { variablesSummary } from '../../domain/templates/variables-summary.ts';
import type { ButtonVariable } from '../../domain/templates/variables-summary.ts';
import type { Variable } from '../../domain/templates/parts.ts';
import type { Template } from '../../domain/templates/template.ts';
import { isoOf } from '../../kernel/clock.ts';

/** [spec: TemplateOut] `rejected_reason` and `quality_score` are additive. */
export function templateOut(template: Template) {
  return {
    id: template.id,
    meta_template_id: template.upstreamId,
    name: template.name,
    language: template.language,
    category: template.category,
    status: template.status,
    components: template.components,
    parameter_format: template.parameterFormat,
    variables: variablesOut(template),
    rejected_reason: template.status === 'REJECTED' ? template.rejectedReason : null,
    quality_score: template.quality,
    synced_at: isoOf(template.syncedAt),
    created_at: isoOf(template.createdAt),
  };
}

type VariablesOut = ReturnType<typeof summaryOut>;
type Known = Pick<Template, 'category' | 'parameterFormat'> & { out: VariablesOut };

/** By components: a list is asked for again and again, and most of it says what it said before. */
const knownVariables = new WeakMap<Template['components'], Known>();

function variablesOut(template: Template): VariablesOut {
  const { components, category, parameterFormat } = template;
  const known = knownVariables.get(components);
  if (known?.category === category && known.parameterFormat === parameterFormat) return known.out;
  const out = summaryOut(template);
  knownVariables.set(components, { category, parameterFormat, out });
  return out;
}

function summaryOut(template: Template) {
  const { totalCount, parameterFormat, header, body, buttons } = variablesSummary(template);
  return {
    total_count: totalCount,
    parameter_format: parameterFormat,
    header: header?.map(variableOut) ?? null,
    body: body?.map(variableOut) ?? null,
    buttons: buttons?.map(buttonOut) ?? null,
  };
}

function variableOut({ position, name, example }: Variable) {
  return { position, name, example };
}

function buttonOut({ index, type, ...variable }: ButtonVariable) {
  return { index, type, ...variableOut(variable) };
}
