import { AppLink } from '../ui/app-link'

type Props = { cweId: string; name?: string | null }

/** `NVD-CWE-Other` and the like have no page and are shown as text. */
export function WeaknessLink({ cweId, name }: Props) {
  const number = /^CWE-(\d+)$/i.exec(cweId)?.[1]
  const words = name ? `${cweId} ${name}` : cweId
  return number ? <AppLink to={`/kb/cwe/${number}`}>{words}</AppLink> : <span>{words}</span>
}
