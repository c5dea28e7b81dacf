import { IconBug, IconFlame, IconLockOpen, IconNews, IconWorld } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { VulnRow } from '../../worker/vulns/contract'
import { plural } from '../lib/format'
import classes from './vuln-cells.module.css'

type Props = { vuln: Pick<VulnRow, 'exploit_count' | 'access' | 'is_in_the_news' | 'is_in_the_wild'> }

const size = 17

export function MetadataIcons({ vuln: { exploit_count, access, is_in_the_news, is_in_the_wild } }: Props) {
  return (
    <ul className={classes.icons}>
      <Fact text={plural(exploit_count, 'exploit')} className={exploit_count > 0 ? classes.hot : classes.none}>
        <IconBug size={size} aria-hidden />
        {exploit_count}
      </Fact>
      {access.vector === 'NETWORK' && (
        <Fact text="Remotely exploitable">
          <IconWorld size={size} aria-hidden />
        </Fact>
      )}
      {access.authentication === 'NONE' && (
        <Fact text="No authentication required">
          <IconLockOpen size={size} aria-hidden />
        </Fact>
      )}
      {is_in_the_wild && (
        <Fact text="Exploited in the wild" className={classes.hot}>
          <IconFlame size={size} aria-hidden />
        </Fact>
      )}
      {is_in_the_news && (
        <Fact text="In the news" className={classes.hot}>
          <IconNews size={size} aria-hidden />
        </Fact>
      )}
    </ul>
  )
}

function Fact({ text, className, children }: { text: string; className?: string; children: ReactNode }) {
  return (
    <li>
      <span role="img" aria-label={text} title={text} className={`${classes.fact} ${className ?? ''}`}>
        {children}
      </span>
    </li>
  )
}
