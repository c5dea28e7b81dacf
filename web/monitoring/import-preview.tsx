import { Stack, Text, Title } from '@mantine/core'
import type { ImportReply } from '../../worker/monitoring/contract'
import { plural } from '../lib/format'
import type { Choice } from './api'
import classes from './monitoring.module.css'
import { UnknownLines } from './unknown-lines'

type Props = {
  reply: ImportReply
  choices: ReadonlyMap<number, Choice>
  isBusy: boolean
  onChoose: (choice: Choice) => void
}

const words = {
  add: 'is added',
  change: 'gets other groups or versions',
  already: 'is already monitored',
  remove: 'is removed',
  await: 'waits to be known',
  absent: 'is not monitored',
}

export function ImportPreview({ reply, isBusy, ...mending }: Props) {
  const { added, changed, already, removed, awaited, unknown, lines } = reply
  const touched = lines.filter(({ action }) => action !== 'already')
  return (
    <Stack gap="sm" aria-busy={isBusy}>
      <ul className={classes.numbers} role="status" aria-label="What the import does">
        <li>{plural(added, 'item')} added</li>
        {changed > 0 && <li>{changed} changed</li>}
        {removed > 0 && <li>{removed} removed</li>}
        <li>{already} already monitored</li>
        {awaited > 0 && <li>{awaited} waiting to be known</li>}
        {unknown.length > 0 && <li>{plural(unknown.length, 'line')} to check</li>}
      </ul>
      {unknown.length > 0 && <UnknownLines lines={unknown} {...mending} />}
      {touched.length > 0 && (
        <div>
          <Title order={3} size="h5" mb={4}>
            What changes
          </Title>
          <ul className={classes.lines} aria-label="What changes">
            {touched.map(({ line, type, value, action }) => (
              <li key={line} className={classes.line}>
                <span className={classes.written}>
                  {type} <strong>{value}</strong>
                </span>
                <Text size="sm" c="dimmed">
                  {words[action]}
                </Text>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Stack>
  )
}
