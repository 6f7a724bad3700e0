/** Pages as the service answers them now. */

/** Who reads it: in the portal their address, in the console the way to leave; undefined: nobody who is signed in. */
const personOf = (page: Document): string | undefined => page.querySelector('.person')?.textContent;

type Served = Document | 'away' | 'signed out';

/**
 * `away`: the service does not answer, or not with this page. `signed out`: an ended session redirects to the way to sign in; a page for
 * another person, who has signed in in another tab, must not mix with this one. The address of a form redirects to its page.
 */
export async function readPage(address: string): Promise<Served> {
  try {
    const answer = await fetch(address, { cache: 'no-store' });
    if (!answer.ok) return 'away';
    const served = new DOMParser().parseFromString(await answer.text(), 'text/html');
    return personOf(served) === personOf(document) ? served : 'signed out';
  } catch {
    return 'away';
  }
}

/** This page. */
export const readServed = (): Promise<Served> => readPage(location.href);

/**
 * Going back, a browser may show a page as it was left, though its person has signed out since: those that keep pages despite `no-store` do
 * so over plain HTTP. What was typed stays if the person is still the same.
 */
export function leaveWhenSignedOut(): void {
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted)
      void readServed().then((served) => (served === 'signed out' ? location.reload() : undefined));
  });
}

/** The shapes of icons that the page did not show until now. */
export function adoptIcons(served: Document): void {
  const shapes = document.querySelector('.icon-shapes');
  for (const shape of served.querySelectorAll('.icon-shapes symbol'))
    if (document.getElementById(shape.id) === null) shapes?.append(shape);
}
