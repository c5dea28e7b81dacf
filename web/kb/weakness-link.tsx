import { AppLink } from '../ui/app-link'

type Props = { cweId: string; name?: string | null }

/** To the page of a weakness; what is no CWE id (`NVD-CWE-Other`) is shown as it is. */
export function WeaknessLink({ cweId, name }: Props) {
  const number = /^CWE-(\d+)$/i.exec(cweId)?.[1]
  const words = name ? `${cweId} ${name}` : cweId
  return number ? <AppLink to={`/kb/cwe/${number}`}>{words}</AppLink> : <span>{words}</span>
}
