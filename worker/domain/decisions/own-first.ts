import { itemName } from '../names/product'
import type { RunVerdict } from '../versions/verdict'
import { joinSome } from '../words/short-lists'

type FixedRun = { versions: { fixed_in: string | null }[] }

/** The fixes of the branches that run come first. */
export function putOwnFirst(versions: string[], runs: FixedRun[]) {
  const own = runs.flatMap((run) => run.versions.map(({ fixed_in }) => fixed_in))
  const isOwn = (version: string) => Number(own.includes(version))
  return versions.toSorted((a, b) => isOwn(b) - isOwn(a))
}

type Run = Parameters<typeof itemName>[0] & {
  versions: { version: string; verdict: RunVerdict; fixed_in: string | null; first_unlisted: string | null }[]
}

/** Running, affected, and without a fix by any source, though another product may have one. */
export const listUnfixed = (runs: Run[]) =>
  runs.flatMap((run) =>
    run.versions
      .filter(({ verdict }) => verdict === 'confirmed' || verdict === 'likely')
      .filter(({ fixed_in, first_unlisted }) => fixed_in === null && first_unlisted === null)
      .map(({ version }) => `${itemName(run)} ${version}`),
  )

/** Before the fixes of others. */
export function tellUnfixed(runs: Run[], limit: number) {
  const unfixed = listUnfixed(runs)
  return unfixed.length ? `none named for ${joinSome(unfixed, limit)}; ` : ''
}
