import { useMutation } from '@tanstack/react-query'
import type { PackageRow } from '../../worker/packages/contract'
import { useSession } from '../session/session'
import { MonitoredToggle } from '../ui/monitored-chip'
import { monitorPackage } from './packages-api'

type Props = { package: PackageRow; words?: readonly [on: string, off: string] }

export function PackageToggle({ package: one, words }: Props) {
  const { org } = useSession()
  const { isPending, mutate } = useMutation(monitorPackage)
  return (
    <MonitoredToggle
      monitored={one.monitored}
      words={words}
      name={`${one.type} ${one.name}`}
      isPending={isPending}
      onToggle={() => mutate({ package: one, monitored: !one.monitored, organization_id: org?.id })}
    />
  )
}
