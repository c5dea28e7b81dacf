/** An advisory that had a vulnerability of its own, as it was when it became part of another one; `is_exploited` by any catalogue. */
export type JoinedAdvisory = { id: string } & Record<'score' | 'cvss' | 'cvss3', number | null> &
  Record<'is_in_kev' | 'is_exploited' | 'is_exploitable' | 'is_malicious', boolean>

export type JoinedChange = { field: 'joined'; advisories: JoinedAdvisory[] }

export const describeJoined = ({ advisories }: JoinedChange) =>
  `${advisories.map(({ id }) => id).join(', ')} became part of it`
