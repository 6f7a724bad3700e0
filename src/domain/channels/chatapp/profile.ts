/** A phone number of a business account. Its identity is `phoneNumberId`. */
export interface ChatappProfile {
  type: 'chatapp';
  phoneNumberId: string;
  /** As upstream writes it for people: `+1 555-010-0042`. */
  phoneNumber: string | null;
  businessAccountId: string;
  qualityRating: string | null;
  /** Upstream's word for how fast the number may send (`STANDARD`, `HIGH`); absent: it did not say. */
  throughput?: string;
  /** The number also lives in the phone's business app: only such numbers have echoes. */
  isDualUse: boolean;
}
