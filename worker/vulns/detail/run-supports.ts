import type { Db } from '../../db/open'
import type { RunningItem } from '../../exposure/running'
import { findVersionSupports } from '../../taxonomy/lifecycles'
import type { VulnDetail } from './contract'

/** Until when the releases that run are supported, by vulnerability. */
export async function withRunSupports(db: Db, running: Map<number, RunningItem[]>, now: Date) {
  const asked = [...running.values()].flat().flatMap(({ versions }) => versions.flatMap(({ releases }) => releases))
  const found = await findVersionSupports(db, asked, now)
  const supports = new Map(asked.map((one, at) => [one, found[at] ?? null]))
  const addTo = ({ versions, ...item }: RunningItem): VulnDetail['runs'][number] => ({
    ...item,
    versions: versions.map(({ releases, ...run }) => ({
      ...run,
      support: releases.map((one) => supports.get(one)).find((one) => one) ?? null,
    })),
  })
  return (id: number) => (running.get(id) ?? []).map(addTo)
}
