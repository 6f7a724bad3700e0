/** The values in a template's form, converted from and to the API's. */
import type {
  ComponentInput,
  ParameterFormat,
  Template,
  TemplateCategory,
} from '../../../rules/templates/template.ts';
import { templateCategories } from '../../../rules/templates/template.ts';
import { placeholdersIn, readType } from '../../../rules/templates/parts.ts';
import { variablesSummary } from '../../../rules/templates/variables.ts';
import { fieldFault, requireValid } from '../../../kernel/faults.ts';
import { asText } from '../../../kernel/json.ts';
import type { Json } from '../../../kernel/json.ts';
import type { TemplateDraft, TemplateEdit } from '../types.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { buttonsIn, fieldOfButton, noButtons, storedButtons, toButtons, toTypedButtons } from './buttons.tsx';
import type { TypedButton } from './buttons.tsx';

export interface TypedTemplate {
  name: string;
  language: string;
  category: string;
  header: string;
  body: string;
  footer: string;
  /** One line each, in the order of the variables. */
  examples: string;
  buttons: readonly TypedButton[];
}

export const nothingTyped: TypedTemplate = {
  name: '',
  language: 'en_US',
  category: 'UTILITY',
  header: '',
  body: '',
  footer: '',
  examples: '',
  buttons: noButtons,
};

/** Authentication templates have other components: only the API can create them. */
export const formCategories: readonly TemplateCategory[] = templateCategories.filter(
  (each) => each !== 'AUTHENTICATION',
);

export function typedIn(form: ReadForm): TypedTemplate {
  const text = (name: string): string => form.text(name).replaceAll('\r\n', '\n');
  return {
    name: text('name'),
    language: text('language'),
    category: text('category'),
    header: text('header'),
    body: text('body'),
    footer: text('footer'),
    examples: text('examples'),
    buttons: buttonsIn(form),
  };
}

/** Throws Fault 422 as the API does. [spec: TemplateCreateRequest] */
export function toDraft(typed: TypedTemplate): TemplateDraft {
  const { name, language } = typed;
  requireValid({
    name: /^[a-z0-9_]{1,512}$/.test(name) ? null : 'Use lowercase letters, digits and _.',
    language: /^[a-z]{2,3}(_[A-Za-z0-9]{2,4})?$/.test(language) ? null : 'Use a code such as en_US or de.',
  });
  const parameterFormat = chooseFormat(typed);
  const buttons = toButtons(typed.buttons);
  const components = [
    ...makeComponents(typed, parameterFormat),
    ...(buttons.length === 0 ? [] : [makeButtons(buttons)]),
  ];
  return { name, language, category: categoryIn(typed), parameterFormat, components };
}

/** Variables are either all numbered or named. */
function chooseFormat(typed: TypedTemplate): ParameterFormat {
  const names = places.flatMap((place) => placeholdersIn(typed[place]));
  return names.some((name) => !/^\d*$/.test(name)) ? 'named' : 'positional';
}

function makeButtons(buttons: readonly Json[]): ComponentInput {
  return { type: 'BUTTONS', buttons };
}

function categoryIn(typed: TypedTemplate): TemplateCategory {
  const category = formCategories.find((each) => each === typed.category);
  if (category === undefined) throw fieldFault(['body', 'category'], 'Choose one of the list.');
  return category;
}

/** The template as form values; null: the form can't represent all of it. */
export function toTypedTemplate(template: Template): TypedTemplate | null {
  const { name, language, category, components } = template;
  const isHeld = components.every((part) => {
    const type = readType(part);
    const isText = (asText(part['format']) ?? 'TEXT').toUpperCase() === 'TEXT';
    return type === 'BUTTONS' || (Object.values<string>(componentTypes).includes(type) && isText);
  });
  if (!isHeld || !formCategories.some((each) => each === category)) return null;
  const said = (place: TextPlace): string => textAt(components, place);
  const { header, body } = variablesSummary(template);
  const examples = [...(header ?? []), ...(body ?? [])].map(({ example }) => example ?? '?').join('\n');
  return {
    name,
    language,
    category,
    header: said('header'),
    body: said('body'),
    footer: said('footer'),
    examples,
    buttons: toTypedButtons(storedButtons(template)) ?? noButtons,
  };
}

/**
 * Texts from the form; buttons that the form can't represent stay unchanged. Throws Fault 422 as the API does.
 * [spec: TemplateUpdateRequest]
 */
export function toEdit(typed: TypedTemplate, { components, parameterFormat }: Template): TemplateEdit {
  const stored = storedButtons({ components });
  const buttons = toTypedButtons(stored) === null ? stored : toButtons(typed.buttons);
  return {
    components: [
      ...makeComponents(typed, parameterFormat),
      ...(buttons.length === 0 ? [] : [makeButtons(buttons)]),
    ],
    category: categoryIn(typed),
  };
}

export const places = ['header', 'body', 'footer'] as const;

export type TextPlace = (typeof places)[number];

const componentTypes = { header: 'HEADER', body: 'BODY', footer: 'FOOTER' } as const;

function textAt(components: Template['components'], place: TextPlace): string {
  return asText(components.find((part) => readType(part) === componentTypes[place])?.['text']) ?? '';
}

/** The texts of the template that are not empty. */
export function listTexts({ components }: Template): { place: TextPlace; text: string }[] {
  return places
    .map((place) => ({ place, text: textAt(components, place) }))
    .filter(({ text }) => text !== '');
}

export function examplesIn({ examples }: TypedTemplate): string[] {
  return examples.split('\n').filter((line) => line.trim() !== '');
}

/** Header and footer only if they are filled in. */
const placesIn = (typed: TypedTemplate) => places.filter((place) => place === 'body' || typed[place] !== '');

function makeComponents(typed: TypedTemplate, format: ParameterFormat): ComponentInput[] {
  const examples = examplesIn(typed);
  let used = 0;
  return placesIn(typed).map((place) => {
    const text = typed[place];
    const names = placeholdersIn(text);
    const mine = examples.slice(used, used + names.length);
    used += names.length;
    const component = { type: componentTypes[place], text };
    if (place === 'footer' || names.length === 0) return component;
    if (format === 'positional')
      return { ...component, example: place === 'header' ? { header_text: mine } : { body_text: [mine] } };
    const named = mine.map((example, at) => ({ param_name: names[at], example }));
    return { ...component, example: { [`${place}_text_named_params`]: named } };
  });
}

/** Moves the problem of a component to the field in which it was typed. */
export function atFields(problems: Problems, typed: TypedTemplate): Problems {
  const fields: Record<string, string> = { ...problems.fields };
  for (const [index, place] of placesIn(typed).entries()) {
    for (const [path, words] of Object.entries(problems.fields)) {
      if (path.startsWith(`components.${index}.example`))
        fields['examples'] = 'Give one example for each variable, one per line.';
      else if (path.startsWith(`components.${index}.`)) fields[place] = words;
    }
  }
  const ofButtons = `components.${placesIn(typed).length}.`;
  for (const [path, words] of Object.entries(problems.fields)) {
    if (!path.startsWith(ofButtons)) continue;
    const [, at = '', member = ''] = path.slice(ofButtons.length).split('.');
    fields[fieldOfButton(typed.buttons, Number(at), member) ?? 'buttons'] = words;
  }
  return { ...problems, fields };
}
