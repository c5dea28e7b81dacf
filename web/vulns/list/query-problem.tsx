import { Text } from '@mantine/core'
import type { Problem } from '../../../worker/domain/query/tokens'
import classes from './query-bar.module.css'

const around = 24

export function QueryProblem({ text, problem: { message, from, to } }: { text: string; problem: Problem }) {
  const start = Math.max(0, from - around)
  const wrong = text.slice(from, Math.max(to, from + 1))
  return (
    <Text size="sm" id="query-problem" role="alert" className={classes.problem}>
      {sentence(message)}
      <code className={classes.place} aria-hidden>
        {start > 0 && '…'}
        {text.slice(start, from)}
        <mark>{wrong || ' '}</mark>
        {text.slice(from + wrong.length, from + wrong.length + around)}
      </code>
    </Text>
  )
}

const sentence = (message: string) => message.charAt(0).toUpperCase() + message.slice(1)
