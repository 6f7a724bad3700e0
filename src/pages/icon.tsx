/** Our own icons, drawn with lines on 24 × 24, inline in the page: no file to load, and they take the text colour. */
import type { VNode } from 'preact';

/** `lines`: the data of an SVG path. */
export function Icon({ lines }: { lines: string }): VNode {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={lines} />
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
