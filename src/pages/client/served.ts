/** Pages as the service answers them now. */

const personOf = (page: Document): string | undefined => page.querySelector('.person a')?.textContent;

type Served = Document | 'away' | 'signed out';

/**
 * `away`: the service does not answer, or not with this page. `signed out`: an ended session redirects; a page for another person, who has
 * signed in in another tab, must not mix with this one.
 */
export async function readPage(address: string): Promise<Served> {
  try {
    const answer = await fetch(address, { redirect: 'manual', cache: 'no-store' });
    if (answer.type === 'opaqueredirect') return 'signed out';
    if (!answer.ok) return 'away';
    const served = new DOMParser().parseFromString(await answer.text(), 'text/html');
    return personOf(served) === personOf(document) ? served : 'signed out';
  } catch {
    return 'away';
  }
}

/** This page. */
export const readServed = (): Promise<Served> => readPage(location.href);

/** The shapes of icons that the page did not show until now. */
export function adoptIcons(served: Document): void {
  const shapes = document.querySelector('.icon-shapes');
  for (const shape of served.querySelectorAll('.icon-shapes symbol'))
    if (document.getElementById(shape.id) === null) shapes?.append(shape);
}
