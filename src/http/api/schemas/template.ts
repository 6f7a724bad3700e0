import { componentTypes } from '../../../domain/templates/component-input.ts';
import type { ComponentInput } from '../../../domain/templates/component-input.ts';
import { parameterFormats, templateCategories } from '../../../domain/templates/template.ts';
import type { Variable } from '../../../domain/templates/parts.ts';
import type { ParameterFormat, Template, TemplateCategory } from '../../../domain/templates/template.ts';
import { variablesSummary } from '../../../domain/templates/variables-summary.ts';
import type { VariablesSummary } from '../../../domain/templates/variables-summary.ts';
import type { ButtonVariable } from '../../../domain/templates/variables-summary.ts';
import { toIso } from '../../../kernel/clock.ts';
import { answer } from '../../validation/answer.ts';
import type { Cells } from '../../validation/answer.ts';
import {
  count,
  flag,
  givenList,
  listOf,
  oneOfWords,
  openObject,
  openWords,
  orNull,
  ourId,
  requestObject,
  responseObject,
  shown,
  string,
  text,
  timestamp,
  withExample,
} from '../../validation/json-schema.ts';
import { requestBody } from '../../validation/request-body.ts';
import { nextCursor } from './common.ts';

/** [spec: TemplateComponentInput] */
const componentInput = requestObject(
  'TemplateComponentInput',
  { type: oneOfWords(componentTypes) },
  {
    format: { ...orNull(oneOfWords(['TEXT'])), description: 'Of a HEADER' },
    text: { ...orNull(text()), description: 'Variables are `{{1}}`, `{{2}}`, … or `{{name}}`' },
    example: {
      ...orNull(openObject),
      description:
        "Examples for every variable, in upstream's shape: `header_text`, `body_text`, or the same with `_named_params`",
    },
    buttons: { ...orNull(givenList(openObject)), description: "Of BUTTONS, in upstream's shapes" },
    add_security_recommendation: {
      ...orNull(flag),
      description: 'Of the BODY of an AUTHENTICATION template',
    },
    code_expiration_minutes: { ...orNull(count), description: 'Of the FOOTER of an AUTHENTICATION template' },
  },
);

const exampleComponents = [
  {
    type: 'BODY',
    text: 'Dear {{1}}, your order {{2}} is ready.',
    example: { body_text: [['Mia', 'A-1007']] },
  },
];

const categoryWord = oneOfWords(templateCategories);

interface TemplateCreateRequest {
  name: string;
  category: TemplateCategory;
  language: string;
  components: ComponentInput[];
  parameter_format?: ParameterFormat;
}

/** [spec: TemplateCreateRequest] */
export const templateCreateRequest = requestBody<TemplateCreateRequest>(
  withExample(
    requestObject(
      'TemplateCreateRequest',
      {
        name: text({ maxLength: 512, pattern: '^[a-z0-9_]+$' }),
        category: categoryWord,
        // Upstream decides which languages exist.
        language: text({ maxLength: 16, pattern: '^[a-z]{2,3}(_[A-Za-z0-9]{2,4})?$' }),
        components: shown(givenList(componentInput), { minItems: 1 }),
      },
      { parameter_format: { ...oneOfWords(parameterFormats), default: 'positional' } },
    ),
    { name: 'order_ready', category: 'UTILITY', language: 'en_US', components: exampleComponents },
  ),
);

interface TemplateUpdateRequest {
  components: ComponentInput[];
  category?: TemplateCategory | null;
}

/** [spec: TemplateUpdateRequest] */
export const templateUpdateRequest = requestBody<TemplateUpdateRequest>(
  withExample(
    requestObject(
      'TemplateUpdateRequest',
      { components: shown(givenList(componentInput), { minItems: 1 }) },
      { category: { ...orNull(categoryWord), description: 'Of REJECTED and PAUSED templates only' } },
    ),
    { components: exampleComponents },
  ),
);

const variableCells: Cells<Variable> = {
  position: [count, ({ position }) => position],
  name: [orNull(string), ({ name }) => name],
  example: [orNull(string), ({ example }) => example],
};

const variableInfo = answer<Variable>('TemplateVariableInfo', variableCells);

const buttonVariable = answer<ButtonVariable>('TemplateButtonVariable', {
  index: [count, ({ index }) => index],
  type: [string, ({ type }) => type],
  ...variableCells,
});

const format = openWords(parameterFormats, { default: 'positional' });

const summary = answer<VariablesSummary>('TemplateVariablesSummary', {
  total_count: [{ ...count, default: 0 }, ({ totalCount }) => totalCount],
  parameter_format: [format, ({ parameterFormat }) => parameterFormat],
  header: [orNull(listOf(variableInfo.schema)), ({ header }) => header?.map(variableInfo.of) ?? null],
  body: [orNull(listOf(variableInfo.schema)), ({ body }) => body?.map(variableInfo.of) ?? null],
  buttons: [orNull(listOf(buttonVariable.schema)), ({ buttons }) => buttons?.map(buttonVariable.of) ?? null],
});

type Known = Pick<Template, 'category' | 'parameterFormat'> & { summarised: Record<string, unknown> };

/** Cache by the `components` object: clients list templates repeatedly, and most templates have not changed. */
const knownVariables = new WeakMap<Template['components'], Known>();

function variablesIn(template: Template): Record<string, unknown> {
  const { components, category, parameterFormat } = template;
  const known = knownVariables.get(components);
  if (known?.category === category && known.parameterFormat === parameterFormat) return known.summarised;
  const summarised = summary.of(variablesSummary(template));
  knownVariables.set(components, { category, parameterFormat, summarised });
  return summarised;
}

/**
 * [spec: TemplateOut] `status` and `category` are passed through from upstream, also unknown values. `rejected_reason` and `quality_score`
 * are additive.
 */
export const templateOut = answer<Template>('TemplateOut', {
  id: [ourId, ({ id }) => id],
  meta_template_id: [string, ({ upstreamId }) => upstreamId],
  name: [string, ({ name }) => name],
  language: [string, ({ language }) => language],
  category: [string, ({ category }) => category],
  status: [string, ({ status }) => status],
  components: [listOf(openObject), ({ components }) => components],
  parameter_format: [format, ({ parameterFormat }) => parameterFormat],
  variables: [orNull(summary.schema), variablesIn],
  rejected_reason: [
    { ...orNull(string), description: "Upstream's word, while the template is rejected" },
    ({ status, rejectedReason }) => (status === 'REJECTED' ? rejectedReason : null),
  ],
  quality_score: [
    { ...orNull(string), description: "Upstream's score, where it has given one" },
    ({ quality }) => quality,
  ],
  synced_at: [orNull(timestamp), ({ syncedAt }) => toIso(syncedAt)],
  created_at: [orNull(timestamp), ({ createdAt }) => toIso(createdAt)],
});

export const templateList = responseObject(
  'TemplateList',
  {
    templates: listOf(templateOut.schema),
    total: count,
    synced: { ...flag, default: false },
    synced_at: { ...orNull(timestamp), description: 'When all of it was last read from upstream' },
  },
  nextCursor,
);
