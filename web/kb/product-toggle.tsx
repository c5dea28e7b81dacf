import { useMutation } from '@tanstack/react-query'
import type { ProductRow } from '../../worker/kb/contract'
import { useSession } from '../session/session'
import { MonitoredToggle } from '../ui/monitored-chip'
import { monitorProduct } from './api'

type Props = { product: ProductRow; words?: readonly [on: string, off: string] }

export function ProductToggle({ product, words }: Props) {
  const { org } = useSession()
  const { isPending, mutate } = useMutation(monitorProduct)
  return (
    <MonitoredToggle
      monitored={product.monitored}
      words={words}
      name={`${product.vendor} ${product.name}`}
      isPending={isPending}
      onToggle={() => mutate({ product, monitored: !product.monitored, organization_id: org?.id })}
    />
  )
}
