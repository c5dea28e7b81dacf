import { Button } from '@mantine/core'
import { useState } from 'react'
import type { VulnDetail } from '../../worker/vulns/detail/contract'
import { formatCount } from '../lib/format'
import { OutLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { Mark } from '../ui/mark'
import classes from './vuln-detail.module.css'

const shownFirst = 10

export function ReferencesCard({ references }: Pick<VulnDetail, 'references'>) {
  const [showsAll, setShowsAll] = useState(false)
  const visible = showsAll ? references : references.slice(0, shownFirst)

  if (references.length === 0) return <Card title="References">None yet.</Card>
  return (
    <Card title={`References (${formatCount(references.length)})`}>
      <ul className={classes.references}>
        {visible.map(({ url, tags }) => (
          <li key={url}>
            <OutLink href={url}>{url}</OutLink>
            {tags.map((tag) => (
              <Mark key={tag} tone="plain">
                {tag}
              </Mark>
            ))}
          </li>
        ))}
      </ul>
      {visible.length < references.length && (
        <Button variant="subtle" size="compact-sm" mt={8} onClick={() => setShowsAll(true)}>
          Show {formatCount(references.length - visible.length)} more
        </Button>
      )}
    </Card>
  )
}
