export const passwordHint =
  'At least 10 characters. Any characters; a few words are easier to keep than a riddle.';
