import type { VNode } from 'preact';

const pages = [
  ['/portal', 'Portal'],
  ['/docs', 'API'],
  ['/docs/guide', 'Guide'],
  ['/docs/contract', 'Contract'],
  ['/docs/decisions', 'Decisions'],
  ['/docs/error-codes', 'Error codes'],
  ['/docs/verify', 'Check a signature'],
] as const;

/** The other pages for API clients. */
export function DocsLinks({ at }: { at: string }): VNode {
  const others = pages.filter(([path]) => path !== at);
  return (
    <>
      {others.map(([path, name], n) => (
        <>
          {n === 0 ? '' : ' · '}
          <a href={path}>{name}</a>
        </>
      ))}
    </>
  );
}
