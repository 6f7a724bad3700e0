/** The form of a channel's settings, from their descriptors. */
import type { VNode } from 'preact';
import type { Channel } from '../../../rules/channels/channel.ts';
import { Check } from '../../../pages/forms/check.tsx';
import { Field, NumberField } from '../../../pages/forms/field.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import type { Problems } from '../../../pages/forms/problems.ts';
import type { Control, FormPart, Setting } from '../setting.ts';
import { perSetting } from '../settings.ts';
import { wasField } from '../../../pages/forms/was.ts';
import { boxOf, isChanged, shownOf } from './settings-typed.ts';

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

/** What the person changed stays as it was typed; all else is shown as it is stored now. */
function One({ typed, ...props }: OneProps): VNode {
  const { name, control, value, channel, isReader, problems } = props;
  const { channelType: type } = channel;
  const edited = typed !== undefined && isChanged(typed, name, control, type) ? typed : undefined;
  const stored = shownOf(control, value, type);
  // After a conflict the person has seen what is stored now, so that saving again replaces it.
  const was = problems.status === 409 ? stored : (edited?.all(wasField(name))[0] ?? stored);
  return (
    <>
      {isReader ? null : <input type="hidden" name={wasField(name)} value={was} />}
      <Shown {...props} stored={stored} edited={edited} />
    </>
  );
}

type ShownProps = Omit<OneProps, 'typed'> & { stored: string; edited: ReadForm | undefined };

function Shown({ name, control, stored, channel, edited, isReader, problems }: ShownProps): VNode {
  const text = edited?.text(name) ?? stored;
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
      return <Check name={name} isOn={text === 'on'} label={control.label} />;
    case 'choices': {
      const on = stored.split(' ');
      return (
        <>
          {control.options(channel.channelType).map(({ value, label }) => {
            const box = boxOf(control, value);
            const isOn = edited === undefined ? on.includes(value) : edited.text(box) === 'on';
            return <Check name={box} isOn={isOn} code={value} label={label} />;
          })}
        </>
      );
    }
  }
}
