import { plural } from '../../lib/format'

const limit = 3

/** A source that names no fixed version does not say that there is no fix. */
export function Fixed({ versions }: { versions: string[] }) {
  if (versions.length === 0) return <span title="No source names a fixed version">n/a</span>
  const more = versions.length - limit
  return (
    <>
      {versions.slice(0, limit).join(', ')}
      {more > 0 && <> and {plural(more, 'other')}</>}
    </>
  )
}
