import { minuteMs } from '../../kernel/clock.ts';

/**
 * All codes with which upstream refuses a send, and what each means for the message, the client and the channel.
 * Codes that are not listed are transient. [spec: Send error codes; upstream §3.5, §3.6, §3.7]
 */

/**
 * `permanent`: never retried. `transient`: certainly not sent, retried. `ambiguous`: may have been sent, so that a retry is
 * a second copy. A transient error with HTTP 5xx and without a pause is ambiguous too, unless it is `decidedFirst`.
 */
type CodeClass = 'permanent' | 'transient' | 'ambiguous';

/** What else must wait: nothing, all messages to this person, all messages of the channel. */
export type Pause = 'none' | 'pair' | 'channel';

/**
 * `reconnect`: the channel needs a reconnect. `unregistered`: so it does, unless its number is registered without anybody. `restricted`:
 * upstream denies it something. The channel is never deactivated.
 */
export type ChannelMeaning = 'none' | 'reconnect' | 'unregistered' | 'restricted';

export interface CodeRow {
  code: number;
  /** Last code of a range with the same meaning. */
  upTo?: number;
  /** The row applies only with this subcode. */
  subcode?: number;
  /** Upstream documents the subcode alone: it applies with any code, and as a code. [upstream §3.6] */
  alone?: true;
  class: CodeClass;
  pause?: Pause;
  /** Upstream's advice how long to wait (ms), if it is longer than the growing pauses and the answer itself names no time. */
  waitMs?: number;
  /** Refused before sending, whatever the HTTP status. */
  decidedFirst?: true;
  sentence: string;
  /** Advice, or the likely cause. Required, because `error` of a refused file must contain one. [spec: Send error codes] */
  hint: string;
  /** `hint` for a send of a file. */
  fileHint?: string;
  /** `hint` for a text longer than the channel's `textBytes`. */
  longTextHint?: string;
  channel?: Exclude<ChannelMeaning, 'none'>;
}

const fetchable =
  'media_url must answer 200 without a login, its signature must not be expired, and its Content-Type must match media_type';
const tooLarge = 'the file is larger than this channel accepts';
const causeUpstream = 'the cause is with upstream, not in the message';
const causePerson = 'the cause is with the person, not in the message';
const askUpstream = "see the business account's quality and policy pages at upstream";
const denied = 'Upstream denies this action for the account; the channel stays connected';
const noPermission = 'grant the missing permission by reconnecting the channel';
/** Fits both a waiting send and one that was given up, because `error` of both contains it. */
const sendSlower = 'more messages were sent than upstream accepts in that time';
const groupsNotSent = 'this service sends to people, not to groups: check the recipient';
const standardAccess =
  'the app has Standard Access only: only people with a role in it can be written to; the operator can ask upstream for Advanced Access';
const controlled = 'Not sent: another app is controlling this thread';
const waitForRelease = 'wait until that app releases it';
const open24 = 'The 24-hour re-engagement window is closed';
const personWritesFirst = 'the person has to write first';
/** Photo accounts of an app that may not write to the public get the code of the closed window. */
const orStandardAccess =
  'the person has to write first; if they wrote in the last 24 hours, the app has Standard Access only: the operator can ask upstream for Advanced Access';
const compareVariables = 'compare the variables with the approved template';
const registerAgain = 'the number has to be registered again by reconnecting the channel';
const registers =
  "the channel's health says whether the service is registering it; otherwise reconnect the channel";

export const codeTable: readonly CodeRow[] = [
  { code: 0, class: 'permanent', sentence: 'Upstream could not authenticate the channel', hint: 'reconnect the channel', channel: 'reconnect' },
  { code: 1, class: 'transient', sentence: 'Upstream had an unknown error', hint: causeUpstream },
  { code: 1, subcode: 1357046, class: 'ambiguous', sentence: 'Upstream lost track of the message, which may have been sent', hint: 'do not resend it before its outcome is known' },
  { code: 2, class: 'transient', sentence: 'Upstream is temporarily down or overloaded', hint: causeUpstream },
  { code: 3, class: 'permanent', sentence: 'The app lacks the capability for this', hint: 'grant the app this capability at upstream', channel: 'restricted' },
  { code: 4, class: 'transient', pause: 'channel', sentence: 'Upstream limits the calls of the app', hint: sendSlower },
  { code: 9, subcode: 2018352, alone: true, class: 'permanent', sentence: 'Too many opt-in requests were sent to this person', hint: causePerson },
  { code: 10, class: 'permanent', sentence: denied, hint: noPermission, channel: 'restricted' },
  { code: 10, subcode: 1893063, class: 'permanent', sentence: 'The page is temporarily restricted', hint: askUpstream, channel: 'restricted' },
  { code: 10, subcode: 1404170, class: 'permanent', sentence: 'This conversation may not be written to by the page now', hint: askUpstream, channel: 'restricted' },
  { code: 10, subcode: 2018065, class: 'permanent', sentence: open24, hint: personWritesFirst },
  { code: 10, subcode: 2018108, class: 'permanent', sentence: 'This person does not receive messages from the page now; do not resend automatically', hint: causePerson },
  { code: 10, subcode: 2018278, class: 'permanent', sentence: open24, hint: personWritesFirst },
  { code: 10, subcode: 2018300, alone: true, class: 'permanent', sentence: controlled, hint: waitForRelease },
  { code: 10, subcode: 2018336, class: 'permanent', sentence: 'The app may not send this kind of message', hint: 'grant the app the feature at upstream', channel: 'restricted' },
  { code: 10, subcode: 2534022, class: 'permanent', sentence: open24, hint: orStandardAccess },
  { code: 10, subcode: 2534048, class: 'permanent', sentence: denied, hint: standardAccess, channel: 'restricted' },
  { code: 10, subcode: 2534077, class: 'permanent', sentence: 'The page and the photo account are no longer linked, or the person who connected them lacks two-factor authentication', hint: 'link them, or switch two-factor authentication on, and reconnect the channel', channel: 'reconnect' },
  { code: 17, class: 'transient', pause: 'channel', sentence: 'Upstream limits the calls of the account', hint: sendSlower },
  { code: 32, class: 'transient', pause: 'channel', sentence: 'Upstream limits the calls of the page', hint: sendSlower },
  { code: 33, class: 'permanent', sentence: 'The number or page does not exist upstream any more', hint: 'reconnect the channel' },
  { code: 100, class: 'permanent', sentence: 'Invalid parameter', hint: 'check the recipient format', fileHint: 'check media_url, media_type, the recipient format and the file size', longTextHint: 'the text has more than 1,000 bytes (UTF-8), which upstream may not accept on this channel: send it in parts; or check the recipient format' },
  { code: 100, subcode: 33, class: 'permanent', sentence: 'The number, page or person does not exist or is not accessible', hint: 'check the recipient; reconnect the channel if all sends fail' },
  { code: 100, subcode: 1893061, class: 'permanent', sentence: 'Upstream has ended this kind of message', hint: personWritesFirst },
  { code: 100, subcode: 2018001, class: 'permanent', sentence: 'No such person for this page or account', hint: 'send the id exactly as in data.from of a received message; if all sends of a channel fail, its permissions are missing: reconnect it' },
  { code: 100, subcode: 2018008, class: 'permanent', sentence: 'Upstream could not fetch the file', hint: fetchable },
  { code: 100, subcode: 2018047, class: 'permanent', sentence: 'Upstream could not process the file', hint: 'the Content-Type of the file at media_url must match media_type' },
  { code: 100, subcode: 2018074, class: 'permanent', sentence: 'Upstream does not know the attachment', hint: 'check media_url and media_type; upload the file again if media_id named it' },
  { code: 100, subcode: 2018109, class: 'permanent', sentence: 'Upstream could not process the file at media_url', hint: tooLarge },
  { code: 100, subcode: 2018164, class: 'permanent', sentence: 'The page may not send this kind of message', hint: askUpstream, channel: 'restricted' },
  { code: 100, subcode: 2018294, class: 'permanent', sentence: 'Upstream could not fetch the video', hint: 'media_url answered too slowly, or the video is damaged or has an unsupported codec' },
  { code: 100, subcode: 2534001, class: 'permanent', sentence: 'The conversation was deleted or archived', hint: causePerson },
  { code: 100, subcode: 2534013, class: 'permanent', sentence: 'The page and the photo account are no longer linked', hint: 'link them and reconnect the channel', channel: 'reconnect' },
  { code: 100, subcode: 2534014, class: 'permanent', sentence: 'No such person for this account', hint: 'send the id exactly as in data.from of a received message' },
  { code: 100, subcode: 2534025, class: 'permanent', sentence: 'The message is invalid for this account', hint: 'check the recipient and the content' },
  { code: 100, subcode: 2534029, class: 'permanent', sentence: 'The business may not use the messaging API', hint: askUpstream, channel: 'restricted' },
  { code: 100, subcode: 2534037, alone: true, class: 'permanent', sentence: controlled, hint: waitForRelease },
  { code: 102, class: 'permanent', sentence: 'The access token is of the wrong kind, or its session has ended', hint: 'reconnect the channel', channel: 'reconnect' },
  { code: 190, class: 'permanent', sentence: 'The access token has expired or was revoked', hint: 'reconnect the channel', channel: 'reconnect' },
  { code: 200, upTo: 299, class: 'permanent', sentence: denied, hint: noPermission, channel: 'restricted' },
  { code: 200, subcode: 1545041, class: 'permanent', sentence: 'This person cannot be messaged now; do not resend automatically', hint: causePerson },
  { code: 200, subcode: 2018021, class: 'permanent', sentence: denied, hint: standardAccess, channel: 'restricted' },
  { code: 200, subcode: 2018027, class: 'permanent', sentence: denied, hint: standardAccess, channel: 'restricted' },
  { code: 200, subcode: 2018028, class: 'permanent', sentence: denied, hint: standardAccess, channel: 'restricted' },
  { code: 200, subcode: 2534041, class: 'permanent', sentence: 'The owner of the account has switched off access to its messages', hint: 'the owner can switch it on in the settings of the account', channel: 'restricted' },
  { code: 200, subcode: 2534048, class: 'permanent', sentence: denied, hint: standardAccess, channel: 'restricted' },
  { code: 368, class: 'permanent', sentence: 'The account is temporarily blocked for policy violations', hint: askUpstream, channel: 'restricted' },
  { code: 546, class: 'permanent', sentence: 'Upstream does not take this type of file', hint: 'media_url must lead to the file itself, not to a page or a redirect, and media_type must match it' },
  { code: 551, class: 'permanent', sentence: 'This person cannot be messaged now; do not resend automatically', hint: causePerson },
  { code: 613, class: 'transient', pause: 'channel', sentence: 'Upstream limits the rate of calls', hint: sendSlower },
  { code: 803, class: 'permanent', sentence: 'The object does not exist or is unavailable', hint: 'check the recipient identifier' },
  { code: 2022, class: 'permanent', sentence: 'Upstream does not let the account send for now', hint: askUpstream, channel: 'restricted' },
  { code: 9010, class: 'permanent', sentence: 'No such person for this account', hint: 'send the id exactly as in data.from of a received message' },
  { code: 36000, class: 'permanent', sentence: 'Upstream could not process the image at media_url', hint: 'it is too large or damaged' },
  { code: 36103, class: 'permanent', sentence: 'The account is not eligible for this', hint: askUpstream, channel: 'restricted' },
  { code: 80001, class: 'transient', pause: 'channel', sentence: 'Upstream limits the calls of the page', hint: sendSlower },
  { code: 80002, class: 'transient', pause: 'channel', sentence: 'Upstream limits the calls of the photo account', hint: sendSlower },
  { code: 80006, class: 'transient', pause: 'channel', sentence: 'Upstream limits the messages of the page', hint: sendSlower },
  { code: 80007, class: 'transient', pause: 'channel', sentence: 'Upstream limits the calls of the business account', hint: sendSlower },
  { code: 130403, class: 'permanent', sentence: 'The business has blocked this person', hint: 'unblock the person at upstream' },
  { code: 130429, class: 'transient', pause: 'channel', sentence: 'The number sends faster than upstream accepts', hint: sendSlower },
  { code: 130472, class: 'permanent', sentence: 'Upstream withholds marketing messages from this person in an experiment', hint: causePerson },
  { code: 130497, class: 'permanent', sentence: 'The business may not message people in that country', hint: 'check the country code of the recipient' },
  { code: 131000, class: 'transient', sentence: 'Upstream had an unknown error', hint: causeUpstream },
  { code: 131005, class: 'permanent', sentence: 'Upstream denies access', hint: noPermission, channel: 'restricted' },
  { code: 131008, class: 'permanent', sentence: 'A required parameter is missing', hint: 'check the request against the documentation' },
  { code: 131009, class: 'permanent', sentence: 'A parameter value is invalid for this channel', hint: 'check what the platform names; if it names nothing, the recipient', fileHint: 'check media_url, media_type and the recipient' },
  { code: 131016, class: 'transient', sentence: 'A service of upstream is unavailable', hint: causeUpstream },
  { code: 131020, class: 'permanent', sentence: 'Upstream does not know the group or page of results', hint: groupsNotSent },
  { code: 131021, class: 'permanent', sentence: "The recipient is the channel's own number", hint: 'check the recipient' },
  { code: 131026, class: 'permanent', sentence: 'The recipient is not reachable on this platform', hint: 'check the recipient; the person may not use the app, or may use an old version of it' },
  { code: 131030, class: 'permanent', sentence: 'The number is a test number and the recipient is not on its list of allowed recipients', hint: 'add the recipient to the list at upstream' },
  { code: 131031, class: 'permanent', sentence: 'The business account is locked', hint: askUpstream, channel: 'restricted' },
  { code: 131037, class: 'permanent', sentence: "The number's display name is not approved yet", hint: 'get it approved at upstream', channel: 'restricted' },
  { code: 131041, class: 'permanent', sentence: 'Upstream does not know the group or page of results', hint: groupsNotSent },
  { code: 131042, class: 'permanent', sentence: 'The business account has a payment problem', hint: 'solve it at upstream', channel: 'restricted' },
  { code: 131044, class: 'permanent', sentence: 'The business account has a payment problem', hint: 'solve it at upstream', channel: 'restricted' },
  { code: 131045, class: 'permanent', sentence: 'The number is not registered properly', hint: registers, channel: 'unregistered' },
  { code: 131047, class: 'permanent', sentence: open24, hint: 'send an approved template' },
  { code: 131048, class: 'transient', pause: 'channel', sentence: 'Too many people reported messages of this number as spam', hint: askUpstream, channel: 'restricted' },
  { code: 131049, class: 'permanent', sentence: 'Upstream withheld the message: this person has received enough marketing messages', hint: 'wait at least a day' },
  { code: 131050, class: 'permanent', sentence: 'This person has opted out of marketing messages', hint: causePerson },
  { code: 131051, class: 'permanent', sentence: 'Unsupported message type for this channel', hint: 'send it as a type that the channel supports' },
  { code: 131052, class: 'permanent', sentence: 'Upstream could not download media_url', hint: fetchable },
  { code: 131053, class: 'transient', decidedFirst: true, sentence: 'Upstream could not process the media; this is often transient', hint: `${fetchable}; the file must not be too large; if upstream's own fetching is limited, upload the file to /api/v1/media and send its media_id` },
  { code: 131055, class: 'permanent', sentence: 'This number sends marketing templates only through another API of upstream', hint: 'send another template, or change the setting at upstream' },
  { code: 131056, class: 'transient', pause: 'pair', sentence: 'Too many messages from this sender to this recipient in a short time', hint: sendSlower },
  { code: 131057, class: 'transient', pause: 'channel', sentence: 'The business account is in maintenance mode', hint: 'upstream accepts no messages until it has ended' },
  { code: 131059, class: 'permanent', sentence: 'Upstream does not know the group or page of results', hint: groupsNotSent },
  { code: 131062, class: 'permanent', sentence: 'This message cannot go to a business-scoped id', hint: 'send it to the phone number' },
  { code: 131063, class: 'permanent', sentence: 'Marketing templates are switched off for this number', hint: 'switch them on at upstream' },
  { code: 131064, class: 'transient', pause: 'channel', sentence: 'Upstream limits the account, because its templates had wrong categories', hint: askUpstream, channel: 'restricted' },
  { code: 131201, upTo: 131215, class: 'permanent', sentence: 'Upstream refused a message to a group', hint: groupsNotSent },
  { code: 132000, class: 'permanent', sentence: 'The number of variables does not match the template', hint: compareVariables },
  { code: 132001, class: 'permanent', sentence: 'The template does not exist in this language or is not approved', hint: 'compare template_name and language with the list of templates' },
  { code: 132005, class: 'permanent', sentence: 'The template is too long with these variables', hint: 'shorten the variables' },
  { code: 132007, class: 'permanent', sentence: 'A variable violates the policy for formatting', hint: compareVariables },
  { code: 132008, class: 'permanent', sentence: 'A variable of the template is invalid', hint: compareVariables },
  { code: 132012, class: 'permanent', sentence: 'A variable has another format than the template', hint: compareVariables },
  { code: 132015, class: 'permanent', sentence: 'The template is paused for low quality', hint: 'edit the template, or use another' },
  { code: 132016, class: 'permanent', sentence: 'The template is disabled for low quality', hint: 'use another template' },
  { code: 132018, class: 'permanent', sentence: 'Upstream refused a variable of the template', hint: compareVariables },
  { code: 132068, class: 'permanent', sentence: 'The flow of the template is blocked', hint: 'repair the flow at upstream' },
  { code: 132069, class: 'transient', sentence: 'The flow of the template is throttled', hint: causeUpstream },
  { code: 133000, class: 'transient', sentence: 'The number is being deregistered', hint: 'wait until it has ended, and reconnect the channel' },
  { code: 133004, class: 'transient', sentence: 'Upstream is temporarily unavailable', hint: causeUpstream },
  { code: 133005, class: 'permanent', sentence: "The number's two-step PIN does not match", hint: registerAgain, channel: 'reconnect' },
  { code: 133006, class: 'permanent', sentence: 'The number has to be verified again', hint: registerAgain, channel: 'reconnect' },
  { code: 133008, class: 'permanent', sentence: 'Too many wrong two-step PINs', hint: 'wait and reconnect the channel', channel: 'reconnect' },
  { code: 133009, class: 'permanent', sentence: 'The two-step PIN was entered too fast', hint: 'wait and reconnect the channel', channel: 'reconnect' },
  { code: 133010, class: 'permanent', sentence: 'The number is not registered', hint: registers, channel: 'unregistered' },
  { code: 133015, class: 'transient', pause: 'channel', waitMs: 5 * minuteMs, sentence: 'The number was deleted a moment ago', hint: 'upstream asks to wait five minutes' },
  { code: 133016, class: 'transient', pause: 'channel', sentence: 'The number was registered too often; upstream limits it', hint: 'wait before it is connected again' },
  { code: 134011, class: 'permanent', sentence: 'The terms for payments are not accepted', hint: 'accept them at upstream', channel: 'restricted' },
  { code: 134100, class: 'permanent', sentence: 'Only marketing templates can be sent this way', hint: 'send another template, or change the setting at upstream' },
  { code: 134101, class: 'transient', sentence: 'Upstream is still preparing the template', hint: 'this takes up to ten minutes after its approval' },
  { code: 134102, class: 'permanent', sentence: 'The template is not eligible for being sent this way', hint: 'use another template' },
  { code: 135000, class: 'transient', sentence: 'Upstream held the message back', hint: 'check the message and the recipient' },
  { code: 137000, class: 'permanent', sentence: "The recipient's identity key has changed", hint: causePerson },
  { code: 2494100, class: 'transient', pause: 'channel', waitMs: 2 * minuteMs, sentence: 'The number is in maintenance', hint: 'this takes some minutes' },
  { code: 100, subcode: 2018218, alone: true, class: 'permanent', sentence: 'There is no profile of this person', hint: causePerson },
  { code: 100, subcode: 2018247, alone: true, class: 'permanent', sentence: 'A permission for the profile is missing', hint: noPermission },
  { code: 10, subcode: 2018321, alone: true, class: 'permanent', sentence: 'The conversation is in an automated flow of upstream', hint: 'wait until it ends' },
  { code: 9000001, class: 'permanent', sentence: 'The message was deleted', hint: 'send it again' },
]; // oxfmt-ignore
