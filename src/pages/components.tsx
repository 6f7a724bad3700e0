/** Small components that pages share. */
import type { ComponentChildren, VNode } from 'preact';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';
import { personPath } from './paths.ts';

/** Longer text may break at the end of its column, also on a phone. */
const mostInOnePiece = 20;

/** A number, user name or id: unbroken, and isolated from the text direction around it. */
export function Whole({ text }: { text: string }): VNode {
  return <bdi class={text.length > mostInOnePiece ? undefined : 'nowrap'}>{text}</bdi>;
}

/** Link to all messages with this person, by number or id. */
export function PersonLink({ person }: { person: string }): VNode {
  return (
    <a class="mono" href={personPath(person)}>
      <Whole text={person} />
    </a>
  );
}

/** An id or secret in full, with a copy button if scripts run. */
export function Copyable({ text, label }: { text: string; label: string }): VNode {
  return (
    <span class="copyable">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

function CopyButton({ text, label }: { text: string; label: string }): VNode {
  return (
    <button type="button" class="quiet" data-copy={text} aria-label={`Copy ${label}`}>
      Copy
    </button>
  );
}

/** Commands to paste into a terminal. */
export function Lines({ text, label }: { text: string; label: string }): VNode {
  return (
    <div class="lines">
      <pre tabindex={0}>{text}</pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}

/** `warn`: it goes on, but needs a look. */
export type Tone = 'good' | 'bad' | 'warn' | 'idle';

const toneIcons: Record<Tone, IconName> = { good: 'check', bad: 'cross', warn: 'retry', idle: 'dot' };

interface BadgeProps {
  tone: Tone;
  /** What the word came from: a status code, a count. */
  code?: string | number | null;
  children: ComponentChildren;
}

/** A state: icon, word and code. The colour only emphasizes it. */
export function Badge({ tone, code = null, children }: BadgeProps): VNode {
  const isCode = typeof children === 'string' && children.includes('_');
  return (
    <span class={`badge ${tone}${isCode ? ' is-code' : ''}`}>
      <Icon name={toneIcons[tone]} />
      {children}
      {code === null ? null : ` · ${code}`}
    </span>
  );
}

/** One entry of a list of facts. */
export function Fact({
  name,
  mono,
  children,
}: {
  name: string;
  mono?: true;
  children: ComponentChildren;
}): VNode {
  return (
    <>
      <dt>{name}</dt>
      <dd class={mono === undefined ? undefined : 'mono'}>{children}</dd>
    </>
  );
}

interface Tab {
  path: string;
  name: string;
}

/** Parts of a long page, each with an address of its own. */
export function Tabs({ label, tabs, at }: { label: string; tabs: readonly Tab[]; at: string }): VNode {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ path, name }) => (
        <a href={path} aria-current={path === at ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** What cannot be undone, in a section of its own at the end of the page. */
export function Destroying({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <section class="destroy" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface DoneProps {
  isWarning?: boolean;
  /** Words by the query parameter with which an action redirected here. */
  words: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

/** Confirms the action that redirected to this page. */
export function Done({ words, query, isWarning }: DoneProps): VNode | null {
  const done = Object.keys(words).find((name) => query.has(name));
  return done === undefined ? null : (
    <Announcement by={[done]} isWarning={isWarning}>
      {words[done]}
    </Announcement>
  );
}

interface AnnouncementProps {
  /** The query parameters that caused it: `client/page.ts` removes them from the address, so that a reload does not announce it again. */
  by: readonly string[];
  /** It was not done. */
  isWarning?: boolean | undefined;
  children: ComponentChildren;
}

/** A toast: what the action that redirected here has done, shown once. */
export function Announcement({ by, isWarning = false, children }: AnnouncementProps): VNode {
  return (
    <div class={isWarning ? 'toast warns' : 'toast'} role="status" data-said={by.join(' ')}>
      <Icon name={isWarning ? 'warning' : 'check'} />
      <div>{children}</div>
    </div>
  );
}
