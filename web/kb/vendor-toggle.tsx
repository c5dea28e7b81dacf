import { useMutation } from '@tanstack/react-query'
import type { VendorRow } from '../../worker/kb/contract'
import { useSession } from '../session/session'
import { MonitoredToggle } from '../ui/monitored-chip'
import { monitorVendor } from './api'

type Props = { vendor: VendorRow; words?: readonly [on: string, off: string] }

export function VendorToggle({ vendor, words }: Props) {
  const { org } = useSession()
  const { isPending, mutate } = useMutation(monitorVendor)
  return (
    <MonitoredToggle
      monitored={vendor.monitored}
      words={words}
      name={`${vendor.name} with all its products`}
      isPending={isPending}
      onToggle={() => mutate({ vendor, monitored: !vendor.monitored, organization_id: org?.id })}
    />
  )
}
