/** The form of a channel's settings, from their descriptors. */
import type { VNode } from 'preact';
import type { Channel } from '../../../rules/channels/channel.ts';
import { Field, NumberField } from '../../../pages/forms/field.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';
import type { Control, FormPart, Setting } from '../setting.ts';
import type { GivenSettings } from '../settings-in-calls.ts';
import { perSetting } from '../settings.ts';

type Choices = Extract<Control, { kind: 'choices' }>;

const boxOf = ({ each }: Choices, value: string): string => `${each}:${value}`;

/** What the form gives, as a request of the API. */
export function givenIn(form: ReadForm, { channelType }: Channel): GivenSettings {
  return Object.fromEntries(
    perSetting((_key, { name, control }) => [name, readControl(form, name, control, channelType)]),
  );
}

/** A form served by the previous release lacks a newer field: undefined leaves the setting as it is. */
function readControl(
  form: ReadForm,
  name: string,
  control: Control,
  channelType: Channel['channelType'],
): unknown {
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
      return control
        .options(channelType)
        .map(({ value }) => value)
        .filter((value) => form.text(boxOf(control, value)) === 'on');
  }
}

/** What is no number stays as it is, for the schema to refuse. */
function asNumber(typed: string | undefined): unknown {
  return typed === undefined || Number.isNaN(Number(typed)) ? typed : Number(typed);
}

interface PartProps {
  part: FormPart;
  channel: Channel;
  /** What a person typed that was refused. */
  typed: ReadForm | undefined;
  /** The person only reads the page. */
  isReader: boolean;
  problems: Problems;
}

/** The controls of one part of the form, in the order of the settings. */
export function SettingsOf({ part, channel, ...rest }: PartProps): VNode {
  return (
    <>
      {perSetting((key, { name, control }) =>
        control.kind === 'elsewhere' || control.part !== part ? null : (
          <One name={name} control={control} value={channel[key]} channel={channel} {...rest} />
        ),
      )}
    </>
  );
}

type OneProps = Omit<PartProps, 'part'> & {
  name: Setting['name'];
  control: Exclude<Control, { kind: 'elsewhere' }>;
  value: unknown;
};

function One({ name, control, value, channel, typed, isReader, problems }: OneProps): VNode {
  const text = typed?.text(name) ?? textOf(value);
  const isOn = (box: string, stored: boolean): boolean =>
    typed === undefined ? stored : typed.text(box) === 'on';
  switch (control.kind) {
    case 'text': {
      const { label, hint, placeholder, mono, readersSee } = control;
      const seen = isReader && text !== '' ? (readersSee?.(text) ?? text) : text;
      const look = { label, hint, placeholder, mono, problems };
      return <Field name={name} value={seen} required={false} {...look} />;
    }
    case 'number':
      return <NumberField name={name} value={text} problems={problems} {...control} />;
    case 'flag':
      return <Box name={name} isOn={isOn(name, value === true)} label={control.label} />;
    case 'choices':
      return (
        <>
          {control.options(channel.channelType).map((option) => {
            const box = boxOf(control, option.value);
            const stored = Array.isArray(value) ? value.includes(option.value) : option.isOnAtFirst;
            return <Box name={box} isOn={isOn(box, stored)} code={option.value} label={option.label} />;
          })}
        </>
      );
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

interface BoxProps {
  name: string;
  isOn: boolean;
  /** The word of the API. */
  code?: string;
  label: string;
}

function Box({ name, isOn, code, label }: BoxProps): VNode {
  return (
    <label class="check">
      <input type="checkbox" name={name} checked={isOn} />
      <span>
        {code === undefined ? null : <code>{code}</code>} {label}
      </span>
    </label>
  );
}
