import type { JudgedKind } from '../domain/versions/verdict'
import type { Reranged } from '../exposure/reranged'
import type { NameRanges } from './derive'
import type { Kind } from './kinds'
import type { Plan } from './plan-writes'

const judgedKind = { products: 'product', packages: 'package' } as const satisfies Record<Kind, JudgedKind>

export function findReranged(
  { cveid, affectedBefore, affected }: Pick<Plan, 'cveid' | 'affectedBefore' | 'affected'>,
  kind: Kind,
  ids: Map<string, number>,
): Reranged[] {
  const [before, after] = [affectedBefore[kind], affected[kind]]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const item_id = ids.get(name)
    if (item_id === undefined || isSame(before.get(name), after.get(name))) return []
    const statements = [...(after.get(name) ?? [])].map(([source, { json }]) => ({ source, ranges: json }))
    return [{ cveid, kind: judgedKind[kind], item_id, statements }]
  })
}

type BySource = NonNullable<ReturnType<NameRanges['get']>>

function isSame(before: BySource | undefined, after: BySource | undefined) {
  if (before?.size !== after?.size || !before) return false
  return [...before].every(([key, { json }]) => after?.get(key)?.json === json)
}
