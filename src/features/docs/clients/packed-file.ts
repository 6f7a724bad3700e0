export interface PackedFile {
  /** Within the archive. */
  path: string;
  text: string;
}
