import { plural } from '../../lib/format'

const shown = 3

/** Versions that fix it; nothing said is not "no fix". */
export function Fixed({ versions }: { versions: string[] }) {
  if (versions.length === 0) return <span title="No source names a fixed version">n/a</span>
  const more = versions.length - shown
  return (
    <>
      {versions.slice(0, shown).join(', ')}
      {more > 0 && <> and {plural(more, 'other')}</>}
    </>
  )
}
