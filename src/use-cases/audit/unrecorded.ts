import type { useCases } from '../areas.ts';

type Everything = typeof useCases;
/** The compiler asks for each that is not audited, and refuses one that is. */
type NotAudited = {
  [Name in keyof Everything]: Everything[Name] extends { audits: string } ? never : Name;
}[keyof Everything];

/**
 * Why the audit log has nothing of a use-case. `reads`: it changes nothing. `traffic`: messages and events, which have logs of their
 * own. `session`: who comes and goes. `on the way`: what follows from it is recorded, or nothing is.
 */
export const unrecorded: Readonly<Record<NotAudited, 'reads' | 'traffic' | 'session' | 'on the way'>> = {
  authenticate: 'session',
  knownCaller: 'session',
  listKeys: 'reads',
  listKeysUntil: 'reads',
  readKey: 'reads',
  channelsFaring: 'reads',
  busyHours: 'reads',
  channelHealth: 'reads',
  senderProfile: 'reads',
  listChannels: 'reads',
  readChannel: 'reads',
  startSetup: 'on the way',
  startOwnSetup: 'on the way',
  dialogOrigin: 'reads',
  openSetup: 'on the way',
  openChoice: 'reads',
  finishChoice: 'on the way',
  finishSetup: 'on the way',
  listDeliveries: 'reads',
  missedEvents: 'reads',
  retryDelivery: 'traffic',
  testWebhook: 'traffic',
  listSubscriptions: 'reads',
  receiveBillingEvent: 'traffic',
  openMedia: 'reads',
  sendText: 'traffic',
  sendMedia: 'traffic',
  sendTemplate: 'traffic',
  listMessages: 'reads',
  channelOfMessage: 'reads',
  deliveredMessage: 'reads',
  messageTimeline: 'reads',
  inspectMessage: 'reads',
  receiveUpstreamPost: 'traffic',
  listAccounts: 'reads',
  inspectAccount: 'reads',
  listMails: 'reads',
  listQuarantine: 'reads',
  listNodes: 'reads',
  inspectChannel: 'reads',
  listFailing: 'reads',
  listAudit: 'reads',
  portalTerms: 'reads',
  signIn: 'session',
  signOut: 'session',
  visitor: 'session',
  askReset: 'on the way',
  isResetLink: 'reads',
  askConfirmation: 'on the way',
  confirming: 'reads',
  listPeople: 'reads',
  readPerson: 'reads',
  readInvitation: 'reads',
  sealOnce: 'session',
  openOnce: 'session',
  listRedirects: 'reads',
  listTemplates: 'reads',
  readTemplate: 'reads',
};
