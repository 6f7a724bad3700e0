import type { Notice } from '../../../pages/notice.tsx';

const lookFirst = 'If you have just completed the setup, the channel may be connected: look there first.';

const startAgain = 'Go back to the application that sent you here and start connecting the channel again.';

/** [spec: Connecting a channel] The URL is valid until `expires_at`. */
export const setupUnknown: Notice = {
  title: 'This setup link does not work',
  paragraphs: [`The link is incomplete, has expired, or was already used. ${lookFirst}`, startAgain],
};

export const callbackIncomplete: Notice = {
  title: 'The setup could not be completed',
  paragraphs: ['The address you were sent to is incomplete. Nothing was connected.', startAgain],
};

/** Its `state` is missing, so no address of a client is known. */
export const dialogRefused: Notice = {
  title: 'The platform refused to open its dialog',
  paragraphs: [
    'Nothing was connected. The cause is usually how the app of this service is set up at the platform, which whoever runs the service can look up in its log.',
    startAgain,
  ],
};

export const callbackUnknown: Notice = {
  title: 'This setup is no longer open',
  paragraphs: [`It has expired or was already completed. ${lookFirst}`, startAgain],
};

export const setupFailed: Notice = {
  title: 'The setup could not go on',
  paragraphs: [
    'Something on our side did not work. Please wait a moment and open the link again.',
    startAgain,
  ],
};
