import { UnstyledButton } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import classes from './kb.module.css'

/** Longer texts do not fit into a line on any screen. */
const certainlyFits = 40

export function OneLine({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false)
  const [isCut, setIsCut] = useState(false)
  const line = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => {
    const { current } = line
    if (!current || isWhole) return undefined
    const look = () => setIsCut(current.scrollHeight > current.clientHeight)
    look()
    const widths = new ResizeObserver(look)
    widths.observe(current)
    return () => widths.disconnect()
    // Another text is of another length.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [text, isWhole])
  if (text.length <= certainlyFits) return <p className={classes.whole}>{text}</p>
  return (
    <div className={classes.oneLine}>
      <p ref={line} className={isWhole ? classes.whole : classes.clamped}>
        {text}
      </p>
      <UnstyledButton
        className={classes.more}
        aria-expanded={isWhole}
        // Keeps its room: where it stands or goes, the line is as wide.
        style={{ visibility: isCut || isWhole ? undefined : 'hidden' }}
        onClick={() => setIsWhole(!isWhole)}
      >
        {isWhole ? 'less' : 'more'}
      </UnstyledButton>
    </div>
  )
}
