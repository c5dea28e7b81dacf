import { Chip } from '@mantine/core'

type Props = { monitored: boolean | undefined; onChange: (patch: { monitored: true | undefined; page: 1 }) => void }

export function MonitoredFilter({ monitored = false, onChange }: Props) {
  return (
    <Chip
      variant="outline"
      checked={monitored}
      onChange={() => onChange({ monitored: monitored ? undefined : true, page: 1 })}
    >
      {monitored ? 'Show all' : 'Show monitored only'}
    </Chip>
  )
}
