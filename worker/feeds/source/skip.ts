/** A record that could not be read, by its id in the source or by the CVE. */
export type Skip = { record_id: string; reason: string; body: string }
