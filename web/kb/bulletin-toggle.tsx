import { useMutation } from '@tanstack/react-query'
import type { BulletinRow } from '../../worker/kb/bulletins/contract'
import { MonitoredToggle } from '../ui/monitored-chip'
import { setBulletin } from './bulletins-api'

type Props = {
  bulletin: Pick<BulletinRow, 'id' | 'publicid' | 'monitored'>
  words?: readonly [on: string, off: string]
}

export function BulletinToggle({ bulletin: { id, publicid, monitored }, words }: Props) {
  const { isPending, mutate } = useMutation(setBulletin)
  return (
    <MonitoredToggle
      monitored={monitored}
      words={words}
      name={publicid}
      isPending={isPending}
      onToggle={() => mutate({ id, monitored: !monitored })}
    />
  )
}
