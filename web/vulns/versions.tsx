import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { speakRange } from '../../worker/domain/versions/range'
import { plural } from '../lib/format'
import classes from './vuln-detail.module.css'

const shownFirst = 6

type Props = { versions: string[]; versions_count: number; limit?: number }

export function Versions({ versions, versions_count, limit = shownFirst }: Props) {
  const [showsAll, setShowsAll] = useState(false)
  const visible = showsAll ? versions : versions.slice(0, limit)
  const unknown = versions_count - versions.length
  return (
    <ul className={classes.versions}>
      {visible.map((version) => (
        <li key={version} className={classes.version}>
          {speakRange(version)}
        </li>
      ))}
      {visible.length < versions.length && (
        <li>
          <UnstyledButton className={classes.more} onClick={() => setShowsAll(true)}>
            {versions_count - visible.length} more
          </UnstyledButton>
        </li>
      )}
      {visible.length === versions.length && unknown > 0 && <li>and {plural(unknown, 'other')}</li>}
    </ul>
  )
}
