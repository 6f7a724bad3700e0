/**
 * The Content-Security-Policy of a page: everything comes from this origin, nothing inline runs or styles, nobody frames it.
 * [architecture §2.3]
 */
export interface PolicyOptions {
  /** Client files run and may talk to this service. */
  hasScripts: boolean;
  /**
   * Where forms may lead, redirects of their answers included: a browser checks those too, so a form whose answer sends a person
   * to an address of the client's must name that origin.
   */
  formTargets: readonly string[];
}

export function writePolicy({ hasScripts, formTargets }: PolicyOptions): string {
  return [
    "default-src 'none'",
    ...(hasScripts ? ["script-src 'self'", "connect-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action ${formTargets.length === 0 ? "'none'" : formTargets.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
