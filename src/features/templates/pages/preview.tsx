/** Preview of a template as a person would receive it. `client/template.ts` renders the same while it is typed. */
import type { VNode } from 'preact';
import type { Template } from '../../../rules/templates/template.ts';
import { buttonNames } from './buttons.tsx';
import { examplesIn, listTexts, places } from './draft.ts';
import type { TextPlace, TypedTemplate } from './draft.ts';

export function Preview({ typed }: { typed: TypedTemplate }): VNode {
  const filled = textsFilled(typed);
  const texts = places.map((place) => ({ place, text: filled[place] })).filter(({ text }) => text !== '');
  const buttons = typed.buttons
    .filter(({ type }) => type !== '')
    .map(({ type, text }) => (type === 'COPY_CODE' ? 'Copy code' : text));
  return (
    <section class="card preview" id="preview" aria-label="Preview" hidden={texts.length === 0}>
      <PreviewLines texts={texts} buttons={buttons} />
    </section>
  );
}

/** The same of a stored template. */
export function StoredPreview({ template }: { template: Template }): VNode {
  return (
    <section class="card preview" aria-label="What it says">
      <PreviewLines texts={listTexts(template)} buttons={buttonNames(template)} />
    </section>
  );
}

interface LinesProps {
  texts: readonly { place: TextPlace; text: string }[];
  buttons: readonly string[];
}

function PreviewLines({ texts, buttons }: LinesProps): VNode {
  return (
    <>
      {texts.map(({ place, text }) => (
        <p class={`preview-${place}`} dir="auto">
          {text}
        </p>
      ))}
      {buttons.map((words) => (
        <p class="preview-button" dir="auto">
          {words}
        </p>
      ))}
    </>
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
