/**
 * The icons that pages use, of the set lucide, inline in the page: no file to load, and they take the text colour. Each is drawn once for a
 * page (`IconShapes`) and referred to wherever it is shown, because a list shows the same few in every row.
 */
import activity from 'lucide/dist/esm/icons/activity.mjs';
import arrowRight from 'lucide/dist/esm/icons/arrow-right-to-line.mjs';
import book from 'lucide/dist/esm/icons/book-open.mjs';
import building from 'lucide/dist/esm/icons/building.mjs';
import check from 'lucide/dist/esm/icons/circle-check.mjs';
import clock from 'lucide/dist/esm/icons/clock.mjs';
import copy from 'lucide/dist/esm/icons/copy.mjs';
import card from 'lucide/dist/esm/icons/credit-card.mjs';
import cross from 'lucide/dist/esm/icons/circle-x.mjs';
import dot from 'lucide/dist/esm/icons/circle-minus.mjs';
import filter from 'lucide/dist/esm/icons/sliders-horizontal.mjs';
import house from 'lucide/dist/esm/icons/house.mjs';
import inbox from 'lucide/dist/esm/icons/inbox.mjs';
import key from 'lucide/dist/esm/icons/key-round.mjs';
import list from 'lucide/dist/esm/icons/scroll-text.mjs';
import mail from 'lucide/dist/esm/icons/mail.mjs';
import menu from 'lucide/dist/esm/icons/menu.mjs';
import message from 'lucide/dist/esm/icons/message-square.mjs';
import plug from 'lucide/dist/esm/icons/plug.mjs';
import retry from 'lucide/dist/esm/icons/rotate-cw.mjs';
import search from 'lucide/dist/esm/icons/search.mjs';
import server from 'lucide/dist/esm/icons/server.mjs';
import shield from 'lucide/dist/esm/icons/shield-alert.mjs';
import terminal from 'lucide/dist/esm/icons/square-terminal.mjs';
import template from 'lucide/dist/esm/icons/layout-template.mjs';
import users from 'lucide/dist/esm/icons/users.mjs';
import warning from 'lucide/dist/esm/icons/triangle-alert.mjs';
import { createContext, h } from 'preact';
import type { VNode } from 'preact';
import { useContext } from 'preact/hooks';

const icons = {
  activity,
  arrowRight,
  book,
  building,
  card,
  check,
  clock,
  copy,
  cross,
  dot,
  filter,
  house,
  inbox,
  key,
  list,
  mail,
  menu,
  message,
  plug,
  retry,
  search,
  server,
  shield,
  template,
  terminal,
  users,
  warning,
} as const;

export type IconName = keyof typeof icons;

export function isIconName(text: string | undefined): text is IconName {
  return text !== undefined && Object.hasOwn(icons, text);
}

/** Those of badges are always there: a part that refreshes itself may show another one than it was loaded with. */
export const iconsOfBadges: readonly IconName[] = ['check', 'cross', 'dot', 'retry', 'warning'];

/** Collects the icons of a page while it is rendered. */
export const ShownIcons = createContext<Set<IconName> | null>(null);

export function Icon({ name }: { name: IconName }): VNode {
  useContext(ShownIcons)?.add(name);
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`#icon-${name}`} />
    </svg>
  );
}

/** The shapes that the icons of the page refer to; rendered after all of them. */
export function IconShapes({ of: names }: { of: ReadonlySet<IconName> }): VNode {
  return (
    <svg class="icon-shapes" aria-hidden="true" width="0" height="0">
      {[...names].map((name) => (
        <symbol id={`icon-${name}`} viewBox="0 0 24 24">
          {icons[name].map(([element, attributes]) => h(element, attributes))}
        </symbol>
      ))}
    </svg>
  );
}

/** The mark as a file for browser tabs, in the accent colour of the light and of the dark theme. */
export const markAsFile =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>g{fill:#0d74ce;stroke:#0d74ce;stroke-width:4}@media(prefers-color-scheme:dark){g{fill:#70b8ff;stroke:#70b8ff}}</style><g><path d="M7 25 25 7"/><circle cx="7" cy="25" r="4"/><circle cx="25" cy="7" r="4"/></g></svg>';

/** The mark beside the name: a line between two points. */
export function Mark(): VNode {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M7 25 25 7" />
      <circle cx="7" cy="25" r="4" />
      <circle cx="25" cy="7" r="4" />
    </svg>
  );
}
