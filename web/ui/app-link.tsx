import { Anchor } from '@mantine/core'
import type { AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'

type Props = AnchorProps & { to: string; children: ReactNode; 'aria-label'?: string }

export const AppLink = (props: Props) => <Anchor component={Link} {...props} />

/** An address that is not http(s) is shown as text, because a feed may hold `javascript:`. */
export function OutLink({ href, children, ...props }: Omit<Props, 'to'> & { href: string }) {
  if (!/^https?:\/\//i.test(href)) return <span>{children}</span>
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" {...props}>
      {children}
    </Anchor>
  )
}
