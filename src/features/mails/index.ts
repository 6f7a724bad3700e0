/** What other features call. */
export { listMails } from './list-mails.ts';
export { writeMail } from './write-mail.ts';
