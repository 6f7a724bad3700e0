import type { VNode } from 'preact';
import { Tabs } from '../../../pages/components.tsx';
import { keysPath, redirectsPath } from '../../../pages/paths.ts';

const tabs = [
  { path: keysPath, name: 'Keys' },
  { path: redirectsPath, name: 'Redirects' },
];

/** Above the keys, and above the redirects that each of them allows. */
export function KeyTabs({ at }: { at: string }): VNode {
  return <Tabs label="API keys" tabs={tabs} at={at} />;
}
