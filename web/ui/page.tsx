import { Group, Stack, Title } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'
import { useLocation } from 'react-router-dom'
import classes from './page.module.css'
import { setPageTitle } from './title'

type Props = {
  title: string
  heading?: ReactNode
  actions?: ReactNode
  /** The heading is not known yet. */
  isWaiting?: boolean
  children: ReactNode
}

/** Its heading takes the focus after navigation, unless a field already has it. */
export function Page({ title, heading = title, actions, isWaiting = false, children }: Props) {
  const { pathname, key } = useLocation()
  const pageRef = useRef<HTMLDivElement>(null)
  const headingRef = useRef<HTMLHeadingElement>(null)
  const isFirst = key === 'default'

  useEffect(() => {
    setPageTitle(title)
  }, [title])

  useEffect(() => {
    const hasFocus = pageRef.current?.contains(document.activeElement)
    if (!isFirst && !hasFocus) headingRef.current?.focus({ preventScroll: true })
    // Only another path is another page; filters are not.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [pathname])

  return (
    <Stack gap="md" ref={pageRef} className={classes.page} data-waiting={isWaiting || undefined}>
      <Group justify="space-between" gap="sm" className={classes.head}>
        <Title order={1} ref={headingRef} tabIndex={-1} style={{ outline: 'none' }}>
          {heading}
        </Title>
        {actions}
      </Group>
      {children}
    </Stack>
  )
}
