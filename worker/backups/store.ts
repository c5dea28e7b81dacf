import { seal, unseal } from '../auth/keys'
import type { Env } from '../env'
import { refused } from '../http/errors'

export type Row = Record<string, unknown>
/** Rows of tables, in the order in which they were read. */
export type SavedPage = { at: string; parts: { table: string; rows: Row[] }[] }
/** Users who deleted their accounts, of as many nights as a backup is old. */
export type LeftUsers = { at: string; user_ids: number[]; database?: string }
/** Written last: without it a backup does not count. */
export type Index = {
  at: string
  org_id: number
  pages: number
  planned_to: number
  /** In another database the numbers of people and vulnerabilities mean others. */
  database?: string
  /** By table the last numbers that were given, and the key of the log as it is stored: another database needs them. */
  numbers?: Record<string, number>
  audit_key?: string | null
}
export type SavedCursors = {
  at: string
  feeds: { id: string; cursor: string | null; newest_at: string | null; last_success: string | null }[]
}

type Saved = SavedPage | Index | LeftUsers | SavedCursors

export const keptNights = 30

const folder = (org_id: number) => `orgs/${org_id}/`
export const nightFolder = (org_id: number, night: string) => `${folder(org_id)}${night}/`
export const indexKey = (org_id: number, night: string) => `${nightFolder(org_id, night)}index`
export const pageKey = (org_id: number, night: string, page: number) => `${nightFolder(org_id, night)}${page}`
const goneKey = (org_id: number) => `removed/${org_id}`
/** Stands there while an organization that was lost comes back. */
export const comingKey = (org_id: number) => `coming/${org_id}`
/** Of an organization that came into that database from another one: what is missing may come again. */
export const movedKey = (database: string, org_id: number) => `moved/${database}/${org_id}`

/** Sealed with its place, so that nobody puts the rows of one organization in the place of another's. */
export async function putSealed(env: Env, bucket: R2Bucket, key: string, value: Saved) {
  await bucket.put(key, await seal(env, 'backup', JSON.stringify({ key, value })))
}

export async function getSealed<Value extends Saved>(env: Env, bucket: R2Bucket, key: string) {
  const found = await bucket.get(key)
  if (!found) return undefined
  const text = await found.text()
  const { key: place, value } = await unseal(env, 'backup', text)
    .then((json) => JSON.parse(json) as { key: string; value: Value })
    .catch(() => {
      throw refused(409, 'unreadable', 'The backup cannot be read: the secret of this installation is another one')
    })
  if (place !== key) throw refused(409, 'unreadable', 'A backup stands in a place that it was not written for')
  return value
}

async function* listAll(bucket: R2Bucket, options: { prefix: string; delimiter?: string }) {
  for (let cursor: string | undefined; ;) {
    const page = await bucket.list({ ...options, cursor })
    yield page
    if (!page.truncated) return
    cursor = page.cursor
  }
}

/** The names of the folders in a folder. */
export async function listFolders(bucket: R2Bucket, prefix: string) {
  const found: string[] = []
  for await (const { delimitedPrefixes } of listAll(bucket, { prefix, delimiter: '/' }))
    found.push(...delimitedPrefixes)
  return found.map((path) => path.slice(prefix.length, -1))
}

export const listNights = (bucket: R2Bucket, org_id: number) => listFolders(bucket, folder(org_id))

export async function listStored(bucket: R2Bucket, prefix: string) {
  const found: string[] = []
  for await (const { objects } of listAll(bucket, { prefix })) found.push(...objects.map(({ key }) => key))
  return found
}

/** Once a night beside the backups, and gone with the last of them. */
export async function putNightly(
  env: Env,
  bucket: R2Bucket,
  { prefix, oldest }: Nightly,
  value: LeftUsers | SavedCursors,
) {
  await putSealed(env, bucket, `${prefix}${value.at.slice(0, 10)}`, value)
  const old = (await listStored(bucket, prefix)).filter((key) => key < `${prefix}${oldest.slice(0, 10)}`)
  if (old.length) await bucket.delete(old)
}
type Nightly = { prefix: string; oldest: string }

export async function removeFolder(bucket: R2Bucket, prefix: string) {
  for await (const { objects } of listAll(bucket, { prefix })) await bucket.delete(objects.map(({ key }) => key))
}

/** Its backups go, and none of an older copy comes back. */
export async function forgetOrg(bucket: R2Bucket, org_id: number) {
  await bucket.put(goneKey(org_id), '')
  await removeFolder(bucket, folder(org_id))
}

export const isForgotten = async (bucket: R2Bucket, org_id: number) => (await bucket.head(goneKey(org_id))) !== null
