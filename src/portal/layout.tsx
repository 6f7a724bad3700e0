import type { ComponentChildren, VNode } from 'preact';
import { assetUrl } from './assets.ts';

export interface LayoutProps {
  title: string;
  /** File names of `styles/`, after `base.css`. */
  styles: readonly string[];
  /** File names of `client/` as built; ES modules. */
  scripts: readonly string[];
  /** Those that are no modules, before them. */
  plainScripts: readonly string[];
  children: ComponentChildren;
}

/** A line between two points, in the accent colour. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cg fill='%230b57d0' stroke='%230b57d0' stroke-width='4'%3E%3Cpath d='M7 25 25 7'/%3E%3Ccircle cx='7' cy='25' r='4'/%3E%3Ccircle cx='25' cy='7' r='4'/%3E%3C/g%3E%3C/svg%3E";

/** The frame of every page. What stands in it is escaped by the renderer; nothing here takes markup as text. */
export function Layout({ title, styles, scripts, plainScripts, children }: LayoutProps): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href={icon} />
        {['base.css', ...styles].map((name) => (
          <link rel="stylesheet" href={assetUrl(name)} />
        ))}
        {plainScripts.map((name) => (
          <script defer src={assetUrl(name)} />
        ))}
        {scripts.map((name) => (
          <script type="module" src={assetUrl(name)} />
        ))}
      </head>
      <body>{children}</body>
    </html>
  );
}
