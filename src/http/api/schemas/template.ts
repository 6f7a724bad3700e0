import { componentTypes } from '../../../domain/templates/component-input.ts';
import type { ComponentInput } from '../../../domain/templates/component-input.ts';
import { parameterFormats, templateCategories } from '../../../domain/templates/template.ts';
import type { ParameterFormat, TemplateCategory } from '../../../domain/templates/template.ts';
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

const category = oneOfWords(templateCategories);

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
        category,
        // Which of them upstream knows, it says itself.
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
      { category: { ...orNull(category), description: 'Of REJECTED and PAUSED templates only' } },
    ),
    { components: exampleComponents },
  ),
);

const variableInfo = responseObject('TemplateVariableInfo', {
  position: count,
  name: orNull(string),
  example: orNull(string),
});

const buttonVariable = responseObject('TemplateButtonVariable', {
  index: count,
  type: string,
  position: count,
  name: orNull(string),
  example: orNull(string),
});

const format = openWords(parameterFormats, { default: 'positional' });

const variablesSummary = responseObject('TemplateVariablesSummary', {
  total_count: { ...count, default: 0 },
  parameter_format: format,
  header: orNull(listOf(variableInfo)),
  body: orNull(listOf(variableInfo)),
  buttons: orNull(listOf(buttonVariable)),
});

/** [spec: TemplateOut] `status` and `category` are upstream's words, also new ones. */
export const templateOut = responseObject('TemplateOut', {
  id: ourId,
  meta_template_id: string,
  name: string,
  language: string,
  category: string,
  status: string,
  components: listOf(openObject),
  parameter_format: format,
  variables: orNull(variablesSummary),
  rejected_reason: { ...orNull(string), description: "Upstream's word, while the template is rejected" },
  quality_score: { ...orNull(string), description: "Upstream's score, where it has given one" },
  synced_at: orNull(timestamp),
  created_at: orNull(timestamp),
});

export const templateList = responseObject(
  'TemplateList',
  {
    templates: listOf(templateOut),
    total: count,
    synced: { ...flag, default: false },
    synced_at: { ...orNull(timestamp), description: 'When all of it was last read from upstream' },
  },
  nextCursor,
);
