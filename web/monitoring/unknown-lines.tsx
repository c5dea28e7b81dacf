import { Button, Group, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import type { UnknownLine } from '../../worker/monitoring/contract'
import type { LineChoice } from './api'
import classes from './monitoring.module.css'

type Props = { lines: UnknownLine[]; choices: ReadonlyMap<number, LineChoice>; onChoose: (choice: LineChoice) => void }

const shown = 100

export function UnknownLines({ lines, choices, onChoose }: Props) {
  return (
    <div>
      <Title order={3} size="h5">
        Lines with unknown names
      </Title>
      <Text size="sm" c="dimmed" mb={4}>
        Choose what was meant. A name that you keep is monitored as soon as it is in the knowledge base.
      </Text>
      <ul className={classes.lines} aria-label="Lines with unknown names">
        {lines.slice(0, shown).map((line) => (
          <Unknown key={`${line.line} ${line.value}`} line={line} choice={choices.get(line.line)} onChoose={onChoose} />
        ))}
      </ul>
      {lines.length > shown && (
        <Text size="sm" c="dimmed" mt={4}>
          And {lines.length - shown} more.
        </Text>
      )}
    </div>
  )
}

type UnknownProps = { line: UnknownLine; choice: LineChoice | undefined; onChoose: (choice: LineChoice) => void }

function Unknown({ line: { line, type, value, reason, nearest }, choice, onChoose }: UnknownProps) {
  const [text, setText] = useState(choice?.value ?? value)
  return (
    <li className={classes.line}>
      <div className={classes.written}>
        Line {line}: {type} <strong>{value}</strong>
        <Text size="sm" c="dimmed">
          {reason}
        </Text>
      </div>
      <Group gap={6}>
        {nearest.map((name) => (
          <Button key={name} size="compact-sm" variant="default" onClick={() => onChoose({ line, value: name })}>
            {name}
          </Button>
        ))}
        <TextInput
          size="xs"
          aria-label={`Value of line ${line}`}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Enter' && onChoose({ line, value: text })}
        />
        <Button
          size="compact-sm"
          variant="default"
          disabled={text === value}
          onClick={() => onChoose({ line, value: text })}
        >
          Use
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={() => onChoose({ line, skip: true })}>
          Leave out
        </Button>
      </Group>
    </li>
  )
}
