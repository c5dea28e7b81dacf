import { formatPurl, parsePurl } from '../../domain/names/purl'

const distributions = ['apk', 'deb', 'rpm']
type SourcePackage = { name: string; version: string }

/** Advisories of distributions name the source package, of which Trivy tells beside the purl; here it becomes the qualifier `upstream`, as Syft writes it. */
export function withUpstream(purl: string | null, source: SourcePackage | undefined) {
  const parsed = purl && source ? parsePurl(purl) : null
  if (!parsed || !source || !distributions.includes(parsed.type) || parsed.qualifiers.has('upstream')) return purl
  const { type, name, version, qualifiers, subpath } = parsed
  if (source.name === name.slice(name.lastIndexOf('/') + 1)) return purl
  const isSame = !source.version || source.version === version
  const upstream = isSame ? source.name : `${source.name}@${source.version}`
  return formatPurl(type, name, version ?? '', {
    qualifiers: new Map([...qualifiers, ['upstream', upstream]]),
    subpath,
  })
}

/** The purl of a module of Go is in lower case by its definition, as Trivy writes it; advisories tell letters apart, and so does the name beside it. */
export function spellModule(name: string, purl: string | null) {
  const parsed = purl?.startsWith('pkg:golang/') ? parsePurl(purl) : null
  const isOther = parsed && parsed.name !== name && parsed.name === name.toLowerCase()
  return isOther ? formatPurl(parsed.type, name, parsed.version ?? '', parsed) : purl
}

/** `built package from: openssl 1.1.1n-0+deb11u3`. */
export function readSourceInfo(text = ''): SourcePackage | undefined {
  const [, name, version = ''] = /^built package from: (\S+)(?: (\S+))?$/.exec(text.trim()) ?? []
  return name === undefined ? undefined : { name, version }
}

export function readSourceProperties(properties: { name: string; value?: string | undefined }[] = []) {
  const find = (field: string) => properties.find((one) => one.name === `aquasecurity:trivy:Src${field}`)?.value ?? ''
  const [name, epoch, version, release] = ['Name', 'Epoch', 'Version', 'Release'].map(find)
  if (!name) return undefined
  return {
    name,
    version: version ? `${epoch && epoch !== '0' ? `${epoch}:` : ''}${version}${release && `-${release}`}` : '',
  }
}
