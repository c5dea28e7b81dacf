import { Chip } from '@mantine/core'

type Props = { monitored: boolean | undefined; onChange: (patch: { monitored: true | undefined; page: 1 }) => void }

/** All, or only what the organization monitors; either way from the first page on. */
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
