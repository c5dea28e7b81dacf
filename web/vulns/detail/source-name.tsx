import { useSources } from '../../lib/sources'

/** `osv/GO-2022-0470` is "OSV GO-2022-0470". */
export function useSourceName() {
  const sources = useSources()
  return (source: string) => {
    const [id = '', ...ref] = source.split('/')
    if (source === 'cve/cisa') return 'CISA (CVE list)'
    if (id === 'manual') return 'Own entry'
    if (id === 'first load') return 'When first loaded'
    if (id === 'summary') return 'Its summary'
    const label = sources.find((known) => known.id === id)?.label ?? id
    return ref.length === 0 ? label : `${label} ${ref.join('/')}`
  }
}

export function SourceName({ source }: { source: string }) {
  const nameSource = useSourceName()
  return nameSource(source)
}
