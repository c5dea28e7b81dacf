/** Kinds of items that are judged by versions. */
export const judgedKinds = ['product', 'package'] as const
export type JudgedKind = (typeof judgedKinds)[number]

/** From the best to the worst; rows hold the place in this list. `unknown` also where only the name is said to be affected. */
export const runVerdicts = ['not_affected', 'unknown', 'likely', 'confirmed'] as const
export type RunVerdict = (typeof runVerdicts)[number]

export const verdictRank = (verdict: RunVerdict) => runVerdicts.indexOf(verdict)
export const verdictAtRank = (rank: number | null) => (rank === null ? null : (runVerdicts[rank] ?? null))
