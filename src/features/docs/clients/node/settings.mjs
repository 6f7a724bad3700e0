/** The key and the address to call, as they were given to the constructor. Throws TypeError for what would fail later or give the key away. */
export function settingsFrom({ baseUrl, apiKey, allowHttp = false }) {
  const key = typeof apiKey === 'string' ? apiKey.trim() : '';
  // `fetch` would quote the key in its error.
  if (!/^[!-~]+$/.test(key)) throw new TypeError('apiKey must be given, in ASCII without white space');
  return { key, base: baseFrom(baseUrl, allowHttp) };
}

function baseFrom(given, allowHttp) {
  const text = String(given ?? '').trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash)
    throw new TypeError('baseUrl must be the address of the service, like https://inbox.example.com');
  const base = text.replace(/[/?#]+$/, '');
  if (base.endsWith('/api/v1')) throw new TypeError('baseUrl must be given without /api/v1');
  if (url.protocol === 'http:' && allowHttp !== true && !isLoopback(url.hostname))
    throw new TypeError('baseUrl must be https, or others read the key: allowHttp takes it as it is');
  return base;
}

/** This machine, where nobody reads along. */
function isLoopback(host) {
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
  );
}
