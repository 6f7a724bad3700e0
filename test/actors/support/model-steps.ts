/** The possible steps of a history. */
export type Step =
  | { step: 'send'; to: number; text: number }
  | { step: 'ask-again' }
  | { step: 'wait'; ms: number }
  | { step: 'inbound'; messages: readonly ModelMessage[] }
  | { step: 'foreign-echo'; to: number; text: number }
  | { step: 'unknown-status' }
  | { step: 'crash' }
  | { step: 'overtake' }
  | { step: 'lease'; valid: boolean }
  | { step: 'drain' }
  | { step: 'replay'; up: boolean }
  | { step: 'store-faults'; count: number }
  | { step: 'receiver'; up: boolean }
  | { step: 'endpoint'; ends: 'crash' | 'overtake' | 'drain' }
  | { step: 'endpoint-settings'; enabled: boolean; events: boolean }
  | { step: 'settings'; active: boolean; licensed: boolean; starter: boolean; events: boolean };

/** One message of a person: the numbers of its files and other parts. */
export interface ModelMessage {
  from: number;
  files: number;
  texts: number;
}
