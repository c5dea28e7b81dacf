/** Whether a caller that sent these in If-None-Match holds that version. */
export const holdsEtag = (known: string | null, etag: string) =>
  known?.split(',').some((held) => held.trim().replace(/^W\//, '') === etag) ?? false
