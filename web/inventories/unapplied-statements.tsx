import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { decisionWords } from '../lib/vex-words'
import { plural } from '../lib/format'
import { FailedLine } from '../ui/failed-line'
import { Timestamp } from '../ui/timestamp'
import { unappliedQuery } from './api'
import classes from './inventories.module.css'

/** Asked for when it is opened. */
export function UnappliedStatements({ name }: { name: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={classes.unapplied} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Statements of VEX hubs that were not applied</summary>
      {isOpen && <Statements name={name} />}
    </details>
  )
}

function Statements({ name }: { name: string }) {
  const query = useQuery(unappliedQuery(name))
  const { data } = query
  if (query.error) return <FailedLine text="The statements could not be loaded." query={query} />
  if (!data) return <Text size="sm">Loading …</Text>
  const { statements, applied, is_complete } = data
  return (
    <>
      <Text size="sm">
        {statements.length
          ? `${plural(statements.length, 'statement')} on products of this inventory propose nothing`
          : 'No statement on a product of this inventory was left out'}
        ; {applied} do.{!is_complete && ' These are the newest: others were not looked at.'}
      </Text>
      <ul>
        {statements.map(({ vuln, product, author, status, said_at, reason }, at) => (
          <li key={at}>
            <Text size="sm">
              {vuln}, {decisionWords[status].toLowerCase()}: {reason}.
            </Text>
            <Text size="xs" className={classes.path}>
              {author} on {product}
              {said_at && (
                <>
                  , <Timestamp at={said_at} />
                </>
              )}
            </Text>
          </li>
        ))}
      </ul>
    </>
  )
}
