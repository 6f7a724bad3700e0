/** What the platform refuses of chatapp, and what a lax world accepts; CONTROL.md has a row for each. */
export type ChatappSettings = {
  offboarded_code: number;
};

export const laxChatapp: ChatappSettings = {
  offboarded_code: 133_010,
};

export const strictChatapp: ChatappSettings = {
  ...laxChatapp,
};
