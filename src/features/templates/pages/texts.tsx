import type { VNode } from 'preact';
import { templateTextLimits } from '../rules/check-texts.ts';
import { Choice, Field } from '../../../pages/forms/field.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';
import { formCategories } from './draft.ts';
import type { TypedTemplate } from './draft.ts';

export interface TextsProps {
  typed: TypedTemplate;
  problems: Problems;
}

/** Fields for the texts of a template, and for the examples of its variables. */
export function Texts({ typed, problems }: TextsProps): VNode {
  return (
    <>
      <Field
        name="header"
        label="Header (optional)"
        value={typed.header}
        required={false}
        maxLength={templateTextLimits.header}
        problems={problems}
      />
      <Field
        name="body"
        label="Body"
        rows={5}
        value={typed.body}
        placeholder="Hello {{1}}, your order {{2}} is ready."
        maxLength={templateTextLimits.body}
        problems={problems}
      />
      <Field
        name="footer"
        label="Footer (optional)"
        value={typed.footer}
        required={false}
        maxLength={templateTextLimits.footer}
        problems={problems}
      />
      <Field
        name="examples"
        label="Examples"
        hint="For the review: a value for each variable, one per line, the header’s first."
        rows={3}
        value={typed.examples}
        required={false}
        problems={problems}
      />
    </>
  );
}

export function Category({ typed }: Pick<TextsProps, 'typed'>): VNode {
  return (
    <Choice
      name="category"
      label="Category"
      options={formCategories.map((each) => [each, each.toLowerCase()])}
      chosen={typed.category}
    />
  );
}
