/** Preview of a template as a person would receive it. `client/template.ts` renders the same while it is typed. */
import type { VNode } from 'preact';
import { examplesIn, places } from './draft.ts';
import type { TextPlace, TypedTemplate } from './draft.ts';

export function Preview({ typed }: { typed: TypedTemplate }): VNode {
  const filled = textsFilled(typed);
  const said = places.filter((place) => filled[place] !== '');
  return (
    <section class="card preview" id="preview" aria-label="Preview" hidden={said.length === 0}>
      {said.map((place) => (
        <p class={`preview-${place}`} dir="auto">
          {filled[place]}
        </p>
      ))}
      {typed.buttons
        .filter(({ type }) => type !== '')
        .map(({ type, text }) => (
          <p class="preview-button" dir="auto">
            {type === 'COPY_CODE' ? 'Copy code' : text}
          </p>
        ))}
    </section>
  );
}

/** A button that requests the preview, for browsers without scripts. */
export function AskPreview(): VNode {
  return (
    <noscript>
      <button class="quiet" name="preview" value="yes" formnovalidate>
        Show the preview
      </button>{' '}
    </noscript>
  );
}

/** Replaces the variables of the texts with the examples, as far as there are any. */
function textsFilled(typed: TypedTemplate): Record<TextPlace, string> {
  const examples = examplesIn(typed);
  const known = new Map<string, string>();
  let used = 0;
  const filled = (place: TextPlace): string => {
    known.clear();
    return typed[place].replaceAll(/\{\{[^{}\s]+\}\}/g, (variable) => {
      const value = known.get(variable) ?? examples[used++] ?? variable;
      known.set(variable, value);
      return value;
    });
  };
  return { header: filled('header'), body: filled('body'), footer: filled('footer') };
}
