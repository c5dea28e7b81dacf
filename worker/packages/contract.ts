import * as z from 'zod'
import { likenesses } from '../domain/names/look-alikes'
import { affectedStatuses, confidences } from '../domain/versions/affected-status'
import { GroupLabel } from '../domain/names/watch-item'
import { endpoint } from '../http/endpoint'
import { Tally, Flag, IdParams } from '../http/fields'
import { pageSchema, pageQuery } from '../http/page'
import { VulnDetail } from '../vulns/detail/contract'
import { VulnRow } from '../vulns/contract'
import { Lifecycle } from '../taxonomy/contract'
import { TimelineEntry } from '../kb/timeline/contract'

/** A vulnerability of a package, with the versions that sources name, as older clients read them. */
const ListedVuln = VulnRow.pick({
  id: true,
  cveid: true,
  summary: true,
  score: true,
  is_score_provisional: true,
}).extend({ vulnerable_packages_versions: VulnDetail.shape.vulnerable_packages_versions })
export type ListedVuln = z.output<typeof ListedVuln>

export const PackageRow = z.object({
  id: z.int(),
  /** The type of its purl (npm, pypi, maven, deb …), or as the caller named it: `pip`. */
  type: z.string(),
  name: z.string(),
  purl: z.string(),
  monitored: z.boolean(),
  vulns_cnt: Tally,
  updated_at: z.string(),
  /** The newest, at most 50. */
  vulns: z.array(ListedVuln),
})
export type PackageRow = z.output<typeof PackageRow>

const Text = z.string().trim().max(300).optional()

export const packageSorts = ['type', 'name', 'vulns_cnt', 'monitored', 'updated_at'] as const
export const PackageQuery = pageQuery(packageSorts, 'name').extend({
  /** Any part of the name, or a purl. */
  search: Text,
  name: Text,
  name__icontains: Text,
  /** A screen shows a page of the first few hundred hits; left out, all hits are counted and paged. */
  count: z.enum(['quick']).optional(),
  /** Of a purl, or as people call it: `pip` is pypi. */
  type: Text,
  /** A screen shows only how many there are. */
  vulns: z.enum(['none']).optional(),
  monitored: Flag.optional(),
  group: GroupLabel.optional(),
  /** By default a search puts the best match first, and a list sorts by name. */
  sorted_by: z.enum(packageSorts.flatMap((field) => [field, `-${field}` as const])).optional(),
})
export type PackageQuery = z.output<typeof PackageQuery>
export type PackageQueryInput = z.input<typeof PackageQuery>

export const listPackages = endpoint({
  path: '/api/kb/packages/',
  access: 'member',
  summary: 'Packages, found by any part of their name or by their purl',
  query: PackageQuery,
  reply: pageSchema(PackageRow),
})

/** Statement of one source on the versions of a package, in words. */
const VersionStatement = z.object({
  source: z.string(),
  versions: z.array(z.string()),
  /** How many there are when `versions` is cut. */
  versions_count: Tally,
  fixed: z.array(z.string()),
  /** The first versions that it does not list as affected, where nothing says that they fix it. */
  first_unlisted: z.array(z.string()),
})

export const PackageVuln = VulnRow.extend({
  affected: z.array(VersionStatement),
  /** Of the requested version. */
  verdict: z
    .object({
      status: z.enum(affectedStatuses),
      confidence: z.enum(confidences),
      source: z.string().nullable(),
      fixed_in: z.string().nullable(),
      first_unlisted: z.string().nullable(),
      is_disputed: z.boolean(),
    })
    .nullable(),
})
export type PackageVuln = z.output<typeof PackageVuln>

const ShortVuln = ListedVuln.extend({
  ...VulnRow.pick({ cvss: true, cvss3: true, updated_at: true }).shape,
  affected: z.array(VersionStatement),
})

export const PackageDetail = PackageRow.extend({
  /** The versions that its newest vulnerabilities name, in their order; `id` is the place in it, `branch` (3.5.x) groups them. */
  versions: z.array(z.object({ id: z.int(), version: z.string(), branch: z.string() })),
  lifecycles: z.array(Lifecycle),
  /** Of the packages that the organization monitors, those that its name imitates, perhaps in innocence. */
  look_alikes: z.array(z.object({ id: z.int(), name: z.string(), likeness: z.enum(likenesses) })),
  /** The releases of a distribution that these ranges speak of. */
  releases: z.array(z.string()),
  /** The newest; `vulns_cnt` tells how many there are. */
  vulns: z.array(ShortVuln),
  vulnerable_packages_versions: VulnDetail.shape.vulnerable_packages_versions,
  timeline: z.array(TimelineEntry),
})
export type PackageDetail = z.output<typeof PackageDetail>

export const getPackage = endpoint({
  path: '/api/kb/packages/:id/',
  access: 'member',
  summary: 'One package, with its newest vulnerabilities',
  params: IdParams,
  reply: PackageDetail,
})

export const PackageVulnQuery = pageQuery(['updated_at'], '-updated_at').extend({
  /** Only vulnerabilities that affect this version, by their ranges. */
  version: z.string().trim().max(200).optional(),
  /** The distribution's release to which the version belongs, as in `releases`. */
  release: z.string().trim().max(200).optional(),
})
export type PackageVulnQuery = z.output<typeof PackageVulnQuery>
export type PackageVulnQueryInput = z.input<typeof PackageVulnQuery>

export const packageVulns = endpoint({
  path: '/api/kb/packages/:id/vulns',
  access: 'member',
  summary: 'The vulnerabilities of a package with what each source says of its versions, newest change first',
  params: IdParams,
  query: PackageVulnQuery,
  reply: pageSchema(PackageVuln).extend({
    /** How many vulnerabilities we judged by the version, and for how many of them no range compares with it. */
    tested: z.int(),
    unknown: Tally,
  }),
})
