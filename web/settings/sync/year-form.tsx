import { Button, Group, NativeSelect } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { firstSyncYear, syncFromYear, syncYear } from '../../../worker/feeds/contract'
import classes from '../settings.module.css'
import { callYearTriggerMutation } from './api'

export function YearForm() {
  const [now] = useState(() => new Date().getUTCFullYear())
  const [year, setYear] = useState(now)
  const { isPending, mutate } = useMutation(callYearTriggerMutation)
  const years = Array.from({ length: now - firstSyncYear + 1 }, (_, age) => String(now - age))
  return (
    <section aria-label="CVE records by year">
      <Group gap="xs" align="end">
        <NativeSelect
          label="CVE records by year"
          w={170}
          data={years}
          value={String(year)}
          onChange={({ currentTarget }) => setYear(Number(currentTarget.value))}
        />
        <Button variant="default" disabled={isPending} onClick={() => mutate({ contract: syncYear, year })}>
          Read {year}
        </Button>
        <Button variant="default" disabled={isPending} onClick={() => mutate({ contract: syncFromYear, year })}>
          Read from {year} on
        </Button>
      </Group>
      <p className={classes.note}>Records that have not changed at the source are skipped.</p>
    </section>
  )
}
