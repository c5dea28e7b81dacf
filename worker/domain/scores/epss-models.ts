/** A model of EPSS and the day of its first scores, as YYYY-MM-DD. */
export type EpssModel = { name: string; since: string }

/** Models that the files themselves name, from the first file that we read. */
export type SeenModel = { version: string; since: string }

/** By what FIRST told; `version` as its files have it, null where no file told it yet. */
const knownModels: (EpssModel & { version: string | null })[] = [
  { name: 'v2', version: 'v2022.01.01', since: '2022-02-04' },
  { name: 'v3', version: 'v2023.03.01', since: '2023-03-07' },
  { name: 'v4', version: 'v2025.03.14', since: '2025-03-17' },
  { name: 'v5', version: null, since: '2026-06-15' },
]

/** From JSON that our feed wrote. */
export const toSeen = (json: string | null | undefined) => JSON.parse(json ?? '[]') as SeenModel[]

const maxSeen = 20

/** The models of the files so far, and that of a file of the day `since`. */
export function noteModel(seen: SeenModel[], version: string, since: string): SeenModel[] {
  return seen.at(-1)?.version === version ? seen : [...seen, { version, since }].slice(-maxSeen)
}

/** Oldest first: models known by date up to our first file, then those of our files. An unknown version is its own name. */
export function listEpssModels(seen: SeenModel[]): EpssModel[] {
  const [first, ...later] = seen
  const before = knownModels.filter(({ since }) => !first || since <= first.since)
  return [...before.map(({ name, since }) => ({ name, since })), ...later.map(nameModel)]
}

function nameModel({ version, since }: SeenModel): EpssModel {
  const named = knownModels.find((model) => model.version === version)
  const byDay = ['', 'unknown'].includes(version)
    ? knownModels.findLast((model) => model.version === null && model.since <= since)
    : undefined
  return { name: named?.name ?? byDay?.name ?? (version || 'unknown'), since }
}

/** The models that came after the day `from` and up to the day `to`: scores of both sides are not comparable. */
export const findNewModels = (models: EpssModel[], from: string, to = '9999') =>
  models.filter(({ since }) => since > from && since <= to)

/** The day before the day `until`: the latest on which a value of unknown start was still one of the files. */
export const lastDayBefore = (until: string) => new Date(Date.parse(until) - 86_400_000).toISOString().slice(0, 10)
