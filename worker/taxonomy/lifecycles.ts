import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { findSupport } from '../domain/versions/end-of-life'
import type { Release } from '../domain/versions/end-of-life'
import type { JudgedKind } from '../domain/versions/verdict'
import { lifecycleNames, lifecycles } from '../schema/lifecycles'
import type { Lifecycle } from './contract'

type Named = { kind: JudgedKind; first: string; name: string }

/** Of a product or package, as it is today; more than one where its name stands at several. */
export async function findLifecycles(db: Db, { kind, first, name }: Named, now: Date): Promise<Lifecycle[]> {
  const found = await db
    .select({ id: lifecycles.id, label: lifecycles.label, releases: lifecycles.releases })
    .from(lifecycleNames)
    .innerJoin(lifecycles, eq(lifecycles.id, lifecycleNames.lifecycle_id))
    .where(and(eq(lifecycleNames.kind, kind), eq(lifecycleNames.first, first), eq(lifecycleNames.name, name)))
    .orderBy(lifecycles.id)
  return found.map((one) => toLifecycle(one, now))
}

type Stored = { id: string; label: string; releases: string }

export function toLifecycle({ id, label, releases }: Stored, now: Date): Lifecycle {
  const day = stamp(now).slice(0, 10)
  return {
    label,
    link: `https://endoflife.date/${encodeURIComponent(id)}`,
    releases: (JSON.parse(releases) as Release[]).map((one) => ({
      name: one.name,
      label: one.label,
      latest: one.latest,
      ...findSupport(one, day),
    })),
  }
}
