type FixedRun = { versions: { fixed_in: string | null }[] }

/** The fixes of the branches that run come first. */
export function putOwnFirst(versions: string[], runs: FixedRun[]) {
  const own = runs.flatMap((run) => run.versions.map(({ fixed_in }) => fixed_in))
  const isOwn = (version: string) => Number(own.includes(version))
  return versions.toSorted((a, b) => isOwn(b) - isOwn(a))
}
