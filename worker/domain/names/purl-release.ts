import distributions from './distributions.json' with { type: 'json' }
import type { Purl } from './purl'

/** Releases of Debian and Ubuntu that purls name by a word. */
export const codenames = new Map(Object.entries(distributions.codenames))

/** A module or flatpak of a release: `Red Hat Enterprise Linux 8 (libreoffice:flatpak)`. */
export const streamOn = (release: string, stream: string) => `${release} (${stream})`
// "Red Hat OpenStack Platform 13.0 (Queens)" has none: the name of a stream has a colon.
const withoutStream = (place: string) => place.replace(/ \([^\s():]+:[^()]*\)$/, '')
/** Whether a place is a release, or a stream of it. */
export const isOnRelease = (place: string, release: string) => withoutStream(place) === release

/** The number at the end of a release's text: `Debian:11`, `Ubuntu:22.04:LTS`, `Red Hat Enterprise Linux 8`, `… 15 SP5`. */
const releaseNumber = /(?:^|[ :]v?)(\d+(?:\.\d+)?(?: SP\d+)?)(?::LTS|::\w+)?$/

/** Products that Red Hat builds for a release of its system, and those that it numbers otherwise: Ceph Storage 7 is none of RHEL 7. */
const forEnterpriseLinux = /(?:Red Hat Enterprise Linux|RHEL|:enterprise_linux)[ :]\d/
/** The system itself, among what else is of its number. */
const system =
  /^(?:AlmaLinux|Alpine|Debian|Red Hat Enterprise Linux|Rocky Linux|SUSE:Linux Enterprise Server|Ubuntu)[: ]v?\d/

/**
 * The release of a distribution that a purl's package is of, among those that statements speak of: by its qualifier `distro`
 * (`debian-12`, `alpine-3.18.4`, `jammy`), else by the build's mark (`.el8`, `+deb11u2`); as the purl has it where nobody speaks of
 * it. Undefined where the purl tells none, or several fit: then any release counts, and nothing is certain. Source: purl-spec, "Known
 * qualifiers"; the texts are those of OSV and Red Hat.
 */
export function findRelease({ version, qualifiers }: Purl, releases: string[]): string | undefined {
  const distro = qualifiers.get('distro')?.toLowerCase() ?? ''
  const [build = '', mark] = /(?:\.el|[+~]deb)(\d+)/.exec(version ?? '') ?? []
  const number = codenames.get(distro) ?? /\d+(?:\.\d+)?/.exec(distro)?.[0] ?? mark
  if (number === undefined) return undefined
  const numbered = [...new Set(releases.map(withoutStream))].flatMap((release) => {
    const [, named] = releaseNumber.exec(release) ?? []
    const isOther = /^(?:Red Hat|[^:]*$)/.test(release) && !forEnterpriseLinux.test(release)
    return named === undefined || isOther ? [] : [{ release, named: named.replace(' SP', '.') }]
  })
  const [major] = number.split('.')
  // A machine of 8.6 takes the updates of 8 where nothing is said of 8.6.
  for (const candidate of [number, major]) {
    const fitting = numbered.filter(({ named }) => named === candidate)
    const own = fitting.filter(({ release }) => system.test(release))
    const [found, ...others] = own.length ? own : fitting
    if (found) return others.length ? undefined : found.release
  }
  return distro || build
}
