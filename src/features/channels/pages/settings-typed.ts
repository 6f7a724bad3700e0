/** What a person gives in the form of a channel's settings. */
import type { Channel } from '../../../rules/channels/channel.ts';
import type { ChannelType } from '../../../rules/vocabulary.ts';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';
import { changedElsewhereWords, wasField } from '../../../pages/forms/was.ts';
import type { Control, Setting } from '../setting.ts';
import type { GivenSettings } from '../settings-in-calls.ts';
import { perSetting } from '../settings.ts';

type Choices = Extract<Control, { kind: 'choices' }>;
type Typed = Pick<ReadForm, 'text' | 'all'>;

export const boxOf = ({ each }: Choices, value: string): string => `${each}:${value}`;

/** What a control shows of a stored value, as one text. */
export function shownOf(control: Control, value: unknown, type: ChannelType): string {
  switch (control.kind) {
    case 'flag':
      return value === true ? 'on' : '';
    case 'choices':
      return control
        .options(type)
        .filter((option) => (Array.isArray(value) ? value.includes(option.value) : option.isOnAtFirst))
        .map((option) => option.value)
        .join(' ');
    default:
      return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }
}

/** What the form has for a control, as `shownOf` writes it. */
function typedOf(form: Typed, name: string, control: Control, type: ChannelType): string {
  if (control.kind !== 'choices') return form.text(name);
  const values = control.options(type).map(({ value }) => value);
  return values.filter((value) => form.text(boxOf(control, value)) === 'on').join(' ');
}

/** Whether the person changed it. A form of the previous release does not tell what it showed: all of it counts as changed. */
export function isChanged(form: Typed, name: string, control: Control, type: ChannelType): boolean {
  const [was] = form.all(wasField(name));
  return was === undefined || was !== typedOf(form, name, control, type);
}

/** What the form changes, as a request of the API. What was never chosen is given too: its first values are shown as chosen. */
export function givenIn(form: Typed, channel: Channel): GivenSettings {
  const { channelType: type } = channel;
  return Object.fromEntries(
    perSetting((key, { name, control }) => {
      const isUnset = control.kind === 'choices' && channel[key] === null;
      const isGiven = isUnset || isChanged(form, name, control, type);
      return [name, isGiven ? readControl(form, name, control, type) : undefined];
    }),
  );
}

/** The address in the form; undefined: the form has none. */
export function typedAddress(form: Typed): GivenSettings {
  const name = 'webhook_url' satisfies Setting['name'];
  return form.all(name).length === 0 ? {} : { [name]: form.text(name) === '' ? null : form.text(name) };
}

/** A form served by the previous release lacks a newer field: undefined leaves the setting as it is. */
function readControl(form: Typed, name: string, control: Control, type: ChannelType): unknown {
  const typed = form.all(name).length === 0 ? undefined : form.text(name);
  switch (control.kind) {
    case 'elsewhere':
      return undefined;
    case 'text':
      return typed === '' ? null : typed;
    case 'number':
      return typed === '' ? undefined : asNumber(typed);
    case 'flag':
      return typed === 'on';
    case 'choices':
      return typedOf(form, name, control, type).split(' ').filter(Boolean);
  }
}

/** What is no number stays as it is, for the schema to refuse. */
function asNumber(typed: string | undefined): unknown {
  return typed === undefined || Number.isNaN(Number(typed)) ? typed : Number(typed);
}

/** What the person changed and somebody else has changed to something else since the page was made; null: nothing. */
export function changedElsewhere(form: Typed, channel: Channel): Problems | null {
  const { channelType: type } = channel;
  const labels = perSetting((key, { name, control }) => {
    const [was] = form.all(wasField(name));
    const stored = shownOf(control, channel[key], type);
    if (was === undefined || was === stored || control.kind === 'elsewhere') return [];
    const typed = typedOf(form, name, control, type);
    if (typed === was || typed === stored) return [];
    return [control.kind === 'choices' ? 'Events' : control.label];
  }).flat();
  if (labels.length === 0) return null;
  return { status: 409, fields: {}, all: changedElsewhereWords(labels) };
}
