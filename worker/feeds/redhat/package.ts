import type { VersionOrder } from '../../domain/words/record'

/** `stream` is the module or flatpak that has it inside: its build is none of the system's own. */
export type RedhatPackage = {
  type: 'rpm' | 'rpmmod' | 'oci'
  name: string
  order: VersionOrder
  lt?: string
  stream?: string
}

const imageBuild = /^(.+\/[^/:@]+):([^/@]+)$/
const rpmWithEpoch = /^(.+)-(\d+:[^-:]+-[^-]+)$/
const moduleBuild = /^([^/:]+):([^/:]+)$/
const rpmBuild = /^(.+)-([^-:]+-[^-:]+)$/

/**
 * `openssh-0:8.7p1-38.el9_4.1` (RPM), `python39:3.9-8100020240516111311.d47b87a4` (module), `openshift/eventrouter-rhel9:v0.4.0-247`
 * (image). A bare name says that there is a fix, not which.
 */
export function parseBuild(text: string): RedhatPackage {
  const image = imageBuild.exec(text)
  if (image) return { type: 'oci', name: `redhat/${image[1]}`, order: 'loose', lt: `${image[2]}` }
  const withEpoch = rpmWithEpoch.exec(text)
  if (withEpoch) return { type: 'rpm', name: `redhat/${withEpoch[1]}`, order: 'rpm', lt: `${withEpoch[2]}` }
  const stream = moduleBuild.exec(text)
  if (stream) return { type: 'rpmmod', name: `redhat/${cutBuild(text)}`, order: 'rpm', lt: `${stream[2]}` }
  const rpm = rpmBuild.exec(text)
  if (rpm) return { type: 'rpm', name: `redhat/${rpm[1]}`, order: 'rpm', lt: `${rpm[2]}` }
  return parseComponent(text)
}

// Streams of a module cannot be compared: `nodejs:10` and `nodejs:12` are two packages.
const cutBuild = (text: string) => text.replace(/-[^-]+$/, '')

/** Without a version: `kernel`, `nodejs:18/nodejs` (of a module) or `rhelai1/bootc-nvidia-rhel9` (an image). */
export function parseComponent(text: string): RedhatPackage {
  const [place = '', ...inside] = text.split('/')
  if (isStream(place) && inside.join(''))
    return { type: 'rpm', name: `redhat/${inside.join('/')}`, order: 'rpm', stream: place }
  if (text.includes('/')) return { type: 'oci', name: `redhat/${text.replace(/[:@].*$/, '')}`, order: 'loose' }
  return { type: 'rpm', name: `redhat/${text}`, order: 'rpm' }
}

function isStream(text: string) {
  const colon = text.indexOf(':', 1)
  return colon !== -1 && colon < text.length - 1
}
