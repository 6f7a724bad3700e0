import { GraphError } from './graph-error.ts';

/** A refusal of the template edge: `message` is generic, the user texts say the reason [upstream protocol 6.4]. */
export function templateError(
  subcode: number | undefined,
  userTitle: string,
  userMessage: string,
): GraphError {
  return new GraphError({
    code: 100,
    subcode,
    message: 'Invalid parameter',
    isTransient: false,
    userTitle,
    userMessage,
  });
}

/** 100 without a subcode. */
export function invalid(userMessage: string): GraphError {
  return templateError(undefined, 'Invalid parameter', userMessage);
}

/** 2388040. */
export function tooLong(what: string, limit: number): GraphError {
  return templateError(
    2388040,
    'The character limit has been exceeded',
    `The ${what} has more than ${limit} characters.`,
  );
}

/** 100 without a subcode: upstream requires an example for the variables or the file. */
export function missingExample(component: string): GraphError {
  const message = `${component} is missing expected field(s) (example)`;
  return templateError(undefined, 'Missing example', message);
}
