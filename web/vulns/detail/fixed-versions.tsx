import { plural } from '../../lib/format'

const limit = 3

/** `listed`: versions listed as affected, which a fix should not be among. A source that names no fixed version does not say that there is no fix. */
export function Fixed({ versions, listed = [] }: { versions: string[]; listed?: string[] }) {
  if (versions.length === 0) return <span title="No source names a fixed version">n/a</span>
  const more = versions.length - limit
  return (
    <>
      {versions
        .slice(0, limit)
        .map((version) => (listed.includes(version) ? `${version} (disputed)` : version))
        .join(', ')}
      {more > 0 && <> and {plural(more, 'other')}</>}
    </>
  )
}
