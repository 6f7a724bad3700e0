/** This page as the service answers it now. */

const personOf = (page: Document): string | undefined => page.querySelector('.person a')?.textContent;

/**
 * `away`: the service does not answer, or not with this page. `signed out`: an ended session redirects; a page for another person, who has
 * signed in in another tab, must not mix with this one.
 */
export async function readServed(): Promise<Document | 'away' | 'signed out'> {
  try {
    const answer = await fetch(location.href, { redirect: 'manual', cache: 'no-store' });
    if (answer.type === 'opaqueredirect') return 'signed out';
    if (!answer.ok) return 'away';
    const served = new DOMParser().parseFromString(await answer.text(), 'text/html');
    return personOf(served) === personOf(document) ? served : 'signed out';
  } catch {
    return 'away';
  }
}
