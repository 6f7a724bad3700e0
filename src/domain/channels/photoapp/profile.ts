/** A photo account and the page it sends through. Its identity is `accountId`. */
export interface PhotoappProfile {
  type: 'photoapp';
  accountId: string;
  username: string | null;
  pageId: string;
}
