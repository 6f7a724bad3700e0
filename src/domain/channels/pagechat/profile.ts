/** A page. Its identity is `pageId`. */
export interface PagechatProfile {
  type: 'pagechat';
  pageId: string;
}
