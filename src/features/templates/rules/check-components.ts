import type { Json } from '../../../kernel/json.ts';
import { textProblem } from '../../../rules/messages/text.ts';
import { checkButtons, checkOtpButtons } from './check-buttons.ts';
import { checkBody, checkFooter, checkHeader } from './check-texts.ts';
import type { ComponentInput, ComponentType, ParameterFormat } from '../../../rules/templates/template.ts';
import { Problems } from '../../../rules/templates/problems.ts';
import type { Loc } from '../../../rules/templates/problems.ts';

interface ComponentRules {
  category: string;
  parameterFormat: ParameterFormat;
}

/**
 * The components in the form for upstream. Throws 422 `validation` with the place of everything that upstream would
 * certainly refuse. Matters of upstream's judgement (for example too many variables for few words) are not checked.
 * [spec: TemplateCreateRequest; upstream §6.2]
 */
export function checkComponents(given: readonly ComponentInput[], rules: ComponentRules): Json[] {
  const problems = new Problems();
  if (!given.some(({ type }) => type === 'BODY'))
    problems.add(['body', 'components'], 'a template needs a BODY component');
  const seen = new Set<ComponentType>();
  const components = given.map((component, at) => {
    if (seen.has(component.type))
      problems.add(
        ['body', 'components', at, 'type'],
        `a template can have at most one ${component.type} component`,
      );
    seen.add(component.type);
    return checkComponent(component, at, rules, problems);
  });
  if (rules.category === 'AUTHENTICATION' && !seen.has('BUTTONS'))
    problems.add(
      ['body', 'components'],
      'an AUTHENTICATION template needs a BUTTONS component with one OTP button',
    );
  problems.refuse();
  return components;
}

function checkComponent(
  component: ComponentInput,
  at: number,
  rules: ComponentRules,
  problems: Problems,
): Json {
  const loc = ['body', 'components', at];
  checkTextsWithin(component, loc, problems);
  if (component.type !== 'BUTTONS' && (component.buttons ?? []).length > 0)
    problems.add([...loc, 'buttons'], 'buttons belong in a component of type BUTTONS');
  if (rules.category === 'AUTHENTICATION') return checkAuthentication(component, loc, problems);
  switch (component.type) {
    case 'HEADER':
      return checkHeader(component, loc, rules.parameterFormat, problems);
    case 'BODY':
      return checkBody(component, loc, rules.parameterFormat, problems);
    case 'FOOTER':
      return checkFooter(component, loc, problems);
    case 'BUTTONS':
      return {
        type: 'BUTTONS',
        buttons: checkButtons(component.buttons ?? [], [...loc, 'buttons'], problems),
      };
  }
}

/** `example` and buttons pass through in upstream's shapes: every text in them must be valid for sending. [faults: 71] */
function checkTextsWithin(component: ComponentInput, loc: (string | number)[], problems: Problems): void {
  for (const member of ['example', 'buttons'] as const) {
    const problem = problemWithin(component[member]);
    if (problem !== null) problems.add([...loc, member], problem);
  }
}

/** Recursion is safe, because the body parser bounds depth and number of values. [faults: 68] */
function problemWithin(value: unknown): string | null {
  if (typeof value === 'string') return textProblem(value);
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    const problem = textProblem(key) ?? problemWithin(item);
    if (problem !== null) return problem;
  }
  return null;
}

const maxLifeMinutes = 90;

/** Authentication templates have upstream's fixed texts. [upstream §6.2] */
function checkAuthentication(given: ComponentInput, loc: Loc, problems: Problems): Json {
  if (given.text != null)
    problems.add([...loc, 'text'], 'the texts of an AUTHENTICATION template are fixed: omit text');
  switch (given.type) {
    case 'HEADER':
      problems.add([...loc, 'type'], 'an AUTHENTICATION template has no HEADER');
      return {};
    case 'BODY': {
      const advice = given.add_security_recommendation;
      return { type: 'BODY', ...(advice == null ? {} : { add_security_recommendation: advice }) };
    }
    case 'FOOTER': {
      const minutes = given.code_expiration_minutes ?? 0;
      if (minutes < 1 || minutes > maxLifeMinutes)
        problems.add([...loc, 'code_expiration_minutes'], `must be 1 to ${maxLifeMinutes}`);
      return { type: 'FOOTER', code_expiration_minutes: minutes };
    }
    case 'BUTTONS':
      return {
        type: 'BUTTONS',
        buttons: checkOtpButtons(given.buttons ?? [], [...loc, 'buttons'], problems),
      };
  }
}
