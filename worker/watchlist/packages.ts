import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { packageName } from '../domain/purl'
import { notFound } from '../http/errors'
import { packages } from '../schema/kb'
import { monitoredPackages } from '../schema/watchlist'

export type PackageRef = {
  package_id?: number | undefined
  package_type?: string | undefined
  package_name?: string | undefined
}

/** One package, by its id or by type and name. */
export async function setPackageMonitored(
  db: Db,
  org_id: number,
  ref: PackageRef,
  { monitored, now }: { monitored: boolean; now: Date },
) {
  const package_id = await getPackageId(db, ref)
  const ofPackage = and(eq(monitoredPackages.org_id, org_id), eq(monitoredPackages.package_id, package_id))
  if (!monitored) return db.delete(monitoredPackages).where(ofPackage)
  return db
    .insert(monitoredPackages)
    .values({ org_id, package_id, created_at: stamp(now) })
    .onConflictDoNothing()
}

async function getPackageId(db: Db, { package_id, package_type = '', package_name = '' }: PackageRef) {
  const type = package_type.toLowerCase()
  const is =
    package_id === undefined
      ? and(eq(packages.type, type), eq(packages.name, packageName(type, package_name)))
      : eq(packages.id, package_id)
  const [found] = await db.select({ id: packages.id }).from(packages).where(is)
  if (!found) throw notFound('Package')
  return found.id
}
