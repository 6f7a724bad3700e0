/** What other features call. */
export { listMails, sendMailNow } from './outbox.ts';
export { writeMail } from './write-mail.ts';
