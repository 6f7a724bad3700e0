import { componentTypes, parameterFormats, templateCategories } from '../../rules/templates/template.ts';
import type { Template } from '../../rules/templates/template.ts';
import type { Variable } from '../../rules/templates/parts.ts';
import { whyUnsendable } from './rules/sendable.ts';
import { variablesSummary } from '../../rules/templates/variables.ts';
import type { ButtonVariable, CardVariables, VariablesSummary } from '../../rules/templates/variables.ts';
import { toIso } from '../../kernel/clock.ts';
import { answer } from '../../http/validation/response-body.ts';
import type { Cells } from '../../http/validation/response-body.ts';
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
} from '../../http/validation/json-schema.ts';
import { requestBody } from '../../http/validation/request-body.ts';
import { nextCursor } from '../../http/schemas/common.ts';

/** [spec: TemplateComponentInput] */
const componentInput = requestObject(
  'TemplateComponentInput',
  { type: oneOfWords(componentTypes) },
  {
    format: { ...orNull(oneOfWords(['TEXT'])), description: 'HEADER only: format of the header' },
    text: {
      ...orNull(text()),
      description:
        'Text of the component. Variables are `{{1}}`, `{{2}}`, … (positional) or `{{name}}` (named)',
    },
    example: {
      ...orNull(openObject),
      description:
        "Example values for all variables, which upstream requires for the review. Upstream's shape: `header_text`, `body_text`, or with named variables `header_text_named_params`, `body_text_named_params`",
    },
    buttons: {
      ...orNull(givenList(openObject)),
      description: "BUTTONS only: the buttons, each in upstream's shape",
    },
    add_security_recommendation: {
      ...orNull(flag),
      description: 'BODY of an AUTHENTICATION template only: adds advice not to share the code',
    },
    code_expiration_minutes: {
      ...orNull(count),
      description: 'FOOTER of an AUTHENTICATION template only: minutes until the code expires',
    },
  },
);

const exampleComponents = [
  {
    type: 'BODY' as const,
    text: 'Dear {{1}}, your order {{2}} is ready.',
    example: { body_text: [['Mia', 'A-1007']] },
  },
];

const categoryWord = oneOfWords(templateCategories);

/** [spec: TemplateCreateRequest] */
export const templateCreateRequest = requestBody(
  withExample(
    requestObject(
      'TemplateCreateRequest',
      {
        name: {
          ...text({ maxLength: 512, pattern: '^[a-z0-9_]+$' }),
          description: 'At most 512 characters: a-z, 0-9 and `_`',
        },
        category: categoryWord,
        // Upstream decides which languages exist. The pattern is checked where the error can say what was meant.
        language: {
          ...shown(text({ maxLength: 16 }), { pattern: '^[a-z]{2,3}(_[A-Za-z0-9]{2,4})?$' }),
          description:
            'Language code, e.g. `en` or `en_US`; the 422 for one that upstream does not have names those it has of that language',
        },
        components: {
          ...shown(givenList(componentInput), { minItems: 1 }),
          description: 'A BODY is required; a HEADER (text only), a FOOTER and BUTTONS are optional',
        },
      },
      {
        parameter_format: {
          ...oneOfWords(parameterFormats),
          default: 'positional',
          description: 'How the texts name their variables: `{{1}}` (positional) or `{{name}}` (named)',
        },
      },
    ),
    { name: 'order_ready', category: 'UTILITY', language: 'en_US', components: exampleComponents },
  ),
);

/** [spec: TemplateUpdateRequest] */
export const templateUpdateRequest = requestBody(
  withExample(
    requestObject(
      'TemplateUpdateRequest',
      {
        components: {
          ...shown(givenList(componentInput), { minItems: 1 }),
          description: 'Replaces all components of the template; a partial update is not possible',
        },
      },
      {
        category: {
          ...orNull(categoryWord),
          description: 'New category, for REJECTED and PAUSED templates only',
        },
      },
    ),
    { components: exampleComponents },
  ),
);

const variableCells: Cells<Variable> = {
  position: [count, 'position'],
  name: [orNull(string), 'name'],
  example: [orNull(string), 'example'],
};

const variableInfo = answer<Variable>('TemplateVariableInfo', variableCells);

const buttonVariable = answer<ButtonVariable>('TemplateButtonVariable', {
  index: [count, 'index'],
  type: [string, 'type'],
  ...variableCells,
});

const cardCells: Cells<CardVariables> = {
  header: [orNull(listOf(variableInfo.schema)), ({ header }) => header?.map(variableInfo.of) ?? null],
  body: [orNull(listOf(variableInfo.schema)), ({ body }) => body?.map(variableInfo.of) ?? null],
  buttons: [orNull(listOf(buttonVariable.schema)), ({ buttons }) => buttons?.map(buttonVariable.of) ?? null],
};

const card = answer<CardVariables>('TemplateCardVariablesInfo', cardCells);

/** An answer always says it: a default would only mislead generators, which write it into code that is none. [faults: 544] */
const format = {
  ...openWords(parameterFormats),
  description: '`positional` unless its texts name the variables',
};

const summary = answer<VariablesSummary>('TemplateVariablesSummary', {
  total_count: [{ ...count, default: 0 }, 'totalCount'],
  parameter_format: [format, 'parameterFormat'],
  ...cardCells,
  cards: [
    { ...orNull(listOf(card.schema)), description: 'Values of each card of a carousel; null: no carousel' },
    ({ cards }) => cards?.map(card.of) ?? null,
  ],
  offer_expires_at: [
    { ...flag, description: 'Whether a send must say when the limited-time offer ends' },
    'needsOfferEnd',
  ],
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
  id: [ourId, 'id'],
  meta_template_id: [{ ...string, description: "Upstream's id of the template" }, 'upstreamId'],
  name: [string, 'name'],
  language: [string, 'language'],
  category: [
    { ...string, description: '`MARKETING`, `UTILITY`, `AUTHENTICATION`; more may come' },
    'category',
  ],
  status: [
    {
      ...string,
      description: 'As upstream reports it: `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`; more may come',
    },
    'status',
  ],
  components: [listOf(openObject), 'components'],
  parameter_format: [format, 'parameterFormat'],
  variables: [orNull(summary.schema), variablesIn],
  sendable: [
    { type: 'boolean', description: 'Whether `send-template` can send it now' },
    (template) => whyUnsendable(template) === null,
  ],
  unsendable_reason: [
    { ...orNull(string), description: 'Why it cannot be sent; null if it can' },
    whyUnsendable,
  ],
  rejected_reason: [
    { ...orNull(string), description: 'Why upstream rejected the template; null unless it is `REJECTED`' },
    ({ status, rejectedReason }) => (status === 'REJECTED' ? rejectedReason : null),
  ],
  quality_score: [
    { ...orNull(string), description: "Upstream's quality score; null: upstream gave none" },
    'quality',
  ],
  synced_at: [
    { ...orNull(timestamp), description: 'When this template was last synced with upstream' },
    ({ syncedAt }) => toIso(syncedAt),
  ],
  created_at: [orNull(timestamp), ({ createdAt }) => toIso(createdAt)],
});

export const templateList = responseObject(
  'TemplateList',
  {
    templates: listOf(templateOut.schema),
    total: { ...count, description: 'Number of templates in this response' },
    synced: {
      ...flag,
      default: false,
      description: 'True if this call read the templates from upstream; false: they come from the cache',
    },
    synced_at: {
      ...orNull(timestamp),
      description: 'When all templates were last read from upstream; null: never',
    },
  },
  nextCursor,
);
