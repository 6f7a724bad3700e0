import { describe, expect, test } from '@jest/globals';
import {
  classifyUpstreamError,
  findChannelMeaning,
  sentenceFor,
} from '../../src/rules/messages/error-codes.ts';
import {
  isOperatorFault,
  operatorFaultReason,
  waitsForOperator,
} from '../../src/rules/messages/operator-fault.ts';

describe('what only the operator can mend [operator-interface §4]', () => {
  test.each([
    [100, 'Invalid appsecret_proof provided in the API argument'],
    [100, 'API calls from the server require an appsecret_proof argument'],
    [101, 'Error validating application. Cannot get application info due to a system error.'],
    [101, ''],
    [190, 'Error validating application. Application has been deleted.'],
    [1, 'Error validating client secret.'],
    [200, 'API access blocked.'],
    [200, '(#200) API access deactivated. To reactivate, go to the app dashboard.'],
  ])('%i: %s', (code, message) => {
    expect(isOperatorFault({ code, message })).toBe(true);
    expect(classifyUpstreamError({ code, subcode: null, message, httpStatus: 400 })).toEqual({
      kind: 'operator',
    });
    expect(findChannelMeaning(code, { subcode: null, message })).toBe('none');
    expect(waitsForOperator(sentenceFor(code, { subcode: null, message }))).toBe(true);
  });

  test.each([
    [100, 'Invalid parameter'],
    [190, 'Error validating access token: Session has expired.'],
    [1, 'An unknown error occurred'],
    [200, '(#200) Permissions error'],
    [null, 'Invalid appsecret_proof'],
  ])('not %s: %s', (code, message) => {
    expect(isOperatorFault({ code, message })).toBe(false);
    expect(waitsForOperator(sentenceFor(code, { subcode: null, message }))).toBe(false);
  });
});

test.each([
  [100, 'proof'],
  [101, 'app'],
  [190, 'app'],
])('code %i is counted as %s', (code, reason) => {
  expect(operatorFaultReason({ code, message: '' })).toBe(reason);
});

test('a send without an error waits for nobody', () => {
  expect(waitsForOperator(null)).toBe(false);
});
