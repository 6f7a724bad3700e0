import { urlValueProblem, valueProblem } from '../../../rules/templates/fill-texts.ts';
import type { FilledButton, GivenButton, GivenSection } from '../../../rules/templates/filled.ts';
import type { ButtonPart } from '../../../rules/templates/parts.ts';
import type { Loc, Problems } from '../../../rules/templates/problems.ts';

/** Fills the buttons that take a value. `code`: the body's first value; a one-time code fills the button as well as the text. [upstream §3.2] */
export function fillButtons(
  buttons: readonly ButtonPart[],
  given: readonly GivenButton[],
  code: string | null,
  at: Loc,
  problems: Problems,
): FilledButton[] {
  const values = new Map<number, GivenButton>();
  for (const [place, one] of given.entries()) {
    const problem = buttonProblem(
      buttons.find(({ index }) => index === one.index),
      one,
      values.has(one.index),
      code,
    );
    if (problem === null) values.set(one.index, one);
    else problems.add([...at, place], problem);
    if (problems.isFull) break;
  }
  const filled: FilledButton[] = [];
  for (const { index, type, fills, isNeeded, isCode, defaultValue } of buttons) {
    const one = values.get(index);
    const value = one?.value ?? (isCode ? code : defaultValue) ?? undefined;
    if (value !== undefined) filled.push(fillButton({ index, fills, value }, one));
    else if (isNeeded && !isCode && !given.some((each) => each.index === index))
      problems.missing(at, `a value for the ${type} button with index ${index}`);
  }
  return filled;
}

function fillButton(button: FilledButton, given: GivenButton | undefined): FilledButton {
  const sections = given?.sections;
  if (sections == null) return button;
  return {
    ...button,
    sections: sections.map(({ title, product_ids: productIds }) => ({ title, productIds })),
  };
}

function buttonProblem(
  button: ButtonPart | undefined,
  { value, sections }: GivenButton,
  isTwice: boolean,
  code: string | null,
): string | null {
  if (button === undefined) return 'the template has no button with this index that takes a value';
  if (isTwice) return 'a button can have only one value';
  if (button.isCode && value !== code) return 'the button must have the same code as the body';
  if (button.fills === 'mpm') return sectionsProblem(sections ?? []) ?? valueProblem(value);
  if (sections != null) return 'only a button that shows several products takes sections';
  return button.fills === 'url' || button.fills === 'copy_code'
    ? urlValueProblem(value, button.fills)
    : valueProblem(value);
}

const maxSections = 10;
const maxProducts = 30;

/** A title is needed where there are several. [upstream §3.2] */
function sectionsProblem(sections: readonly GivenSection[]): string | null {
  const products = sections.flatMap(({ product_ids: ids }) => ids);
  if (sections.length === 0 || sections.length > maxSections)
    return `the button takes 1 to ${maxSections} sections`;
  if (sections.some(({ product_ids: ids }) => ids.length === 0) || products.length > maxProducts)
    return `sections have 1 to ${maxProducts} products in all, and none is empty`;
  const titles = sections.map(({ title }) => valueProblem(title)).find((problem) => problem !== null);
  return titles ?? products.map(valueProblem).find((problem) => problem !== null) ?? null;
}
