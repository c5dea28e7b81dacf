import { Button } from '@mantine/core'
import { useState } from 'react'
import classes from './vuln-detail.module.css'

const shownFirst = 900

/** Some summaries hold a whole kernel log, so a long text is cut until the reader asks for all of it. */
export function LongText({ text }: { text: string }) {
  const [showsAll, setShowsAll] = useState(false)
  const isCut = !showsAll && text.length > shownFirst * 1.2
  return (
    <div className={classes.summary}>
      <p>{isCut ? `${text.slice(0, shownFirst).trimEnd()} …` : text}</p>
      {isCut && (
        <Button variant="subtle" size="compact-sm" onClick={() => setShowsAll(true)}>
          Show the whole summary
        </Button>
      )}
    </div>
  )
}
