import { itemName } from '../names/product'
import type { RunVerdict } from '../versions/verdict'
import { joinSome } from '../words/short-lists'

/** The fixes of the branches that run come first. */
export function putOwnFirst(versions: string[], runs: { versions: { fixed_in: string | null }[] }[]) {
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

type Item = { via: string; name: string; vendor: string | null }
export type Running = {
  monitored_by: Item[]
  uncompared: (Item & { is_pending: boolean })[]
  runs: (Run & { via: string; vendor: string })[]
}

/** `unlisted`: nothing that the organization named is affected, which is no proof that it runs none of it. */
export type RunAnswer = 'yes' | 'likely' | 'no' | 'unlisted' | 'unknown'

/** Whether the organization runs it, and which of its items say so. Nothing is "no" while something is not compared. */
export function decideRunning({ monitored_by, uncompared, runs }: Running): { answer: RunAnswer; items: string[] } {
  const judged = runs.flatMap((run) =>
    run.versions.map(({ version, verdict }) => ({ verdict, label: `${itemName(run)} ${version}` })),
  )
  const withVerdict = (verdict: RunVerdict) => judged.filter((one) => one.verdict === verdict).map(({ label }) => label)
  const confirmed = withVerdict('confirmed')
  if (confirmed.length) return { answer: 'yes', items: confirmed }
  const likely = withVerdict('likely')
  if (likely.length) return { answer: 'likely', items: likely }

  const waiting = uncompared.map(tellUncompared)
  const unsure = monitored_by
    .filter((item) => item.via !== 'vuln' && !runs.some((run) => isUnsureRun(run, item)))
    .filter((item) => !uncompared.some((one) => one.via === item.via && describeItem(one) === describeItem(item)))
  const items = [...new Set([...withVerdict('unknown'), ...unsure.map(describeItem), ...waiting])]
  if (items.length) return { answer: 'unknown', items }
  const spared = withVerdict('not_affected')
  return { answer: spared.length ? 'no' : 'unlisted', items: spared }
}

export const tellUncompared = (item: Running['uncompared'][number]) =>
  `${describeItem(item)}: not compared${item.is_pending ? ' yet' : ''}`

/** Its versions stand there already. */
const isUnsureRun = ({ via, name, vendor, versions }: Running['runs'][number], item: Item) =>
  via === item.via &&
  (via === 'inventory' ? vendor === item.name : name === item.name && vendor === item.vendor) &&
  versions.some(({ verdict }) => verdict === 'unknown')

const describeItem = (item: Item) => (item.via === 'inventory' ? `inventory ${item.name}` : itemName(item))

export const runWords: Record<RunAnswer, string> = {
  yes: 'Yes',
  likely: 'Likely',
  no: 'No',
  unlisted: 'Not known',
  unknown: 'Cannot tell',
}
