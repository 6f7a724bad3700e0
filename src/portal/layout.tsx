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

/** The frame of every page. What stands in it is escaped by the renderer; nothing here takes markup as text. */
export function Layout({ title, styles, scripts, plainScripts, children }: LayoutProps): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" type="image/svg+xml" href={assetUrl('mark.svg')} />
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
