/** Our own icons, drawn with lines on 24 × 24, inline in the page: no file to load, and they take the text colour. */
import type { VNode } from 'preact';

const paths = {
  home: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
  channels: 'M4 5h16v10H10l-4 4v-4H4z',
  deliveries: 'M3 12h13M11 6l6 6-6 6M21 4v16',
  messages: 'M4 6h16M4 11h16M4 16h10',
  templates: 'M5 4h14v16H5zM8 8h8M8 12h8M8 16h4',
  live: 'M3 12h4l3-7 4 14 3-7h4',
  keys: 'M14 10a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM13 12l8 8M17 16l2-2',
  redirects: 'M4 7h11a4 4 0 0 1 0 8H6M9 11l-4 4 4 4',
  requests: 'M4 5h16v14H4zM8 10l2 2-2 2M12 15h4',
  people: 'M12 9a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM3 20c0-4 3-6 6-6s6 2 6 6M15 6a3 3 0 0 1 0 6M18 20c0-3-1-5-3-6',
  billing: 'M3 6h18v12H3zM3 10h18M6 15h4',
  mails: 'M3 6h18v12H3zM3 7l9 7 9-7',
  contract: 'M9 6 4 12l5 6M15 6l5 6-5 6',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/** The mark as a file for browser tabs, in the accent colour of the light and of the dark theme. */
export const markAsFile =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>g{fill:#0b57d0;stroke:#0b57d0;stroke-width:4}@media(prefers-color-scheme:dark){g{fill:#8ab4f8;stroke:#8ab4f8}}</style><g><path d="M7 25 25 7"/><circle cx="7" cy="25" r="4"/><circle cx="25" cy="7" r="4"/></g></svg>';

/** The mark beside the name: a line between two points. */
export function Mark(): VNode {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path d="M7 25 25 7" />
      <circle cx="7" cy="25" r="4" />
      <circle cx="25" cy="7" r="4" />
    </svg>
  );
}
