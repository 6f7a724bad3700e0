/** In place of a list without items: what will be there, and the way to it. */
import type { ComponentChildren, VNode } from 'preact';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';
import { Doing } from '../reader-role.tsx';

export function Empty({ icon = 'inbox', children }: { icon?: IconName; children: ComponentChildren }): VNode {
  return (
    <div class="empty">
      <Icon name={icon} />
      {children}
    </div>
  );
}

/** The way out of a filter that nothing meets. */
export function ShowAll({ path }: { path: string }): VNode {
  return (
    <a class="button quiet" href={path}>
      Show all
    </a>
  );
}

interface FirstStepProps {
  path: string;
  /** On the button. */
  word: string;
  icon?: IconName;
  children: ComponentChildren;
}

/** For a list whose items need something first: why it is empty, and a button that leads there. */
export function FirstStep({ path, word, icon, children }: FirstStepProps): VNode {
  return (
    <Empty icon={icon}>
      <p>{children}</p>
      <Doing>
        <a class="button" href={path}>
          {word}
        </a>
      </Doing>
    </Empty>
  );
}
