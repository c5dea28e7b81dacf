import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { nameVuln } from '../lib/format'

type Props = AnchorProps & { to: string; children: ReactNode; 'aria-label'?: string }

export const AppLink = (props: Props) => <Anchor component={Link} {...props} />

type VulnProps = Omit<Props, 'to' | 'children'> & { id: number; cveid: string | null; tab?: string }

export const VulnLink = ({ id, cveid, tab, ...props }: VulnProps) => (
  <AppLink to={`/vulns/${id}${tab ? `?tab=${tab}` : ''}`} {...props}>
    {nameVuln(id, cveid)}
  </AppLink>
)

/** An address that is not http(s) is shown as text, because a feed may hold `javascript:`. */
export function OutLink({ href, children, ...props }: Omit<Props, 'to'> & { href: string }) {
  if (!/^https?:\/\//i.test(href)) return <span>{children}</span>
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" {...props}>
      {children}
    </Anchor>
  )
}
