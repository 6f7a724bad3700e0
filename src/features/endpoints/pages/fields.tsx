/** The fields of an endpoint's forms. */
import type { VNode } from 'preact';
import { kindOf } from '../../../rules/channels/kinds.ts';
import type { ChannelType } from '../../../rules/vocabulary.ts';
import { EventChecks } from '../../../pages/forms/check.tsx';
import { Field } from '../../../pages/forms/field.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';
import { fieldWords } from './typed.ts';
import type { ShownFields } from './typed.ts';

interface FieldsProps {
  type: ChannelType;
  shown: ShownFields;
  /** In place of what is shown. */
  typed: ReadForm | undefined;
  problems: Problems;
}

export function EndpointFields({ type, shown, typed, problems }: FieldsProps): VNode {
  return (
    <>
      <Field
        name="url"
        label={fieldWords.url}
        value={typed?.text('url') ?? shown.url}
        mono
        placeholder="https://crm.example.com/trunkline"
        problems={problems}
      />
      <Field
        name="headers"
        label={fieldWords.headers}
        hint="Of each request to it, one a line, as Authorization: Bearer 3f0c9a. Values are not shown again."
        value={typed?.text('headers') ?? shown.headers}
        rows={3}
        mono
        required={false}
        autocomplete="off"
        problems={problems}
      />
      <EventChecks events={kindOf(type).availableEvents} chosen={shown.events.split(' ')} typed={typed} />
    </>
  );
}
