/** Why an organization hears nothing of a vulnerability for now. */
export const quietKinds = ['snoozed', 'accepted'] as const
export type QuietKind = (typeof quietKinds)[number]

/** Its ends, of which the first counts; `hand` is somebody of the organization. */
export const wakings = ['date', 'fix', 'kev', 'exploit', 'epss', 'malicious', 'hand'] as const
type Waking = (typeof wakings)[number]

export const wakingWords: Record<Waking, string> = {
  date: 'its end date was reached',
  fix: 'a fix, or the first version that is not listed as affected, was named',
  kev: 'CISA listed it as exploited',
  exploit: 'an exploit became known',
  epss: 'EPSS rose above the limit',
  malicious: 'a package was called malicious',
  hand: 'somebody ended it',
}
