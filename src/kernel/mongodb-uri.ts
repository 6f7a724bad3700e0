/** MONGODB_URI, read only as far as our own lines quote it: the driver reads it for itself. */

const parts = /^mongodb(?:\+srv)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const host = /^(?:\[[0-9a-f:.]+\]|[^\s:@[\]]+)(?::\d{1,5})?$/i;

/**
 * Hosts and ports of a URI, without user and password; null if its parts cannot be told apart: a `/`, `?`, `#`, `:` or `@` of a password
 * that is not percent-encoded would make a piece of the password the host.
 */
export function mongodbHosts(uri: string): string | null {
  const [, authority, path = ''] = parts.exec(uri) ?? [];
  if (authority === undefined || /[@:]/.test(path)) return null;
  const [hosts = '', userInfo, ...more] = authority.split('@').toReversed();
  if (more.length > 0 || (userInfo !== undefined && !isUserInfo(userInfo))) return null;
  return hosts.split(',').every((each) => host.test(each)) ? hosts : null;
}

function isUserInfo(text: string): boolean {
  try {
    decodeURIComponent(text);
    return text.split(':').length <= 2;
  } catch {
    return false;
  }
}
