/** What other features call. */
export { gathersUntil, listMails, sendMailNow } from './outbox.ts';
export { writeMail } from './write-mail.ts';
